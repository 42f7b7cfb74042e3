import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { openBrowser, sticksOut, Visitor } from './support/browser.ts';
import { agentRow, OPERATOR, WAIT } from './support/jobs.ts';
import { ShownWorld } from './support/shown-world.ts';

let world: ShownWorld;
let browser: Browser;
let visitor: Visitor;
let page: Page;
beforeAll(async () => {
  [world, browser] = await Promise.all([ShownWorld.open(), openBrowser()]);
  visitor = await Visitor.come(browser, { width: 1280, theme: 'light' }, world.origin);
  page = await visitor.tab(await world.link({}, '/ui/mail'));
  await page.locator('[data-live="live"]').waitFor();
}, 240_000);
afterAll(async () => {
  await browser?.close();
  await world?.close();
});

const LONG = 'payments-refactoring-and-billing-team-lead';
/** CSS pixels: a window of 1536 px at 200 % zoom has 768. */
const WIDTHS = [
  320, 360, 412, 480, 600, 640, 700, 768, 800, 850, 890, 899, 900, 930, 960, 1023, 1024, 1100, 1280, 1440,
  1536, 1600, 1920, 2560,
];
const VIEWS = [
  '/ui/',
  ...['', '?tab=mail', '?tab=queue', '?tab=reminders', '?tab=facts'].map((tab) => `/ui/agents/${LONG}${tab}`),
  '/ui/activity',
  '/ui/mail',
  '/ui/requests',
  '/ui/reminders',
];

const goTo = async (path: string): Promise<void> => {
  await page.goto(new URL(path, world.origin).href);
  await page.locator('[data-live="live"]').waitFor();
  await page.locator('main [role="status"][aria-label^="Loading"]').first().waitFor({ state: 'detached' });
};

/** What is broken at this width, as sentences. */
const broken = (): Promise<string[]> =>
  page.evaluate(() => {
    const found: string[] = [];
    const isShown = (element: Element): boolean => element.getClientRects().length > 0;
    for (const link of document.querySelectorAll('nav[aria-label="Main"] a')) {
      if (!isShown(link)) continue;
      const words = [...link.childNodes].find((node) => node.nodeType === Node.TEXT_NODE);
      const range = document.createRange();
      if (words) range.selectNodeContents(words);
      if (range.getClientRects().length !== 1) found.push(`"${link.textContent}" is broken over lines`);
      const box = link.getBoundingClientRect();
      if (box.left < 0 || box.right > document.documentElement.clientWidth)
        found.push(`"${link.textContent}" is outside the window`);
    }
    const bar = document.querySelector('header.topbar');
    if (bar && bar.scrollWidth > bar.clientWidth) found.push('the top bar is wider than the window');
    for (const link of document.querySelectorAll<HTMLElement>('tr[data-agent] a[data-row]')) {
      const probe = document.createElement('span');
      probe.style.cssText = 'position:absolute;visibility:hidden;width:12ch';
      link.parentElement?.append(probe);
      const wanted = Math.min(link.scrollWidth, probe.offsetWidth);
      probe.remove();
      if (link.clientWidth < wanted - 1 || link.getBoundingClientRect().width < 10)
        found.push(`${link.textContent} has ${link.getBoundingClientRect().width} px`);
    }
    const isScrolled = (element: Element): boolean =>
      /auto|scroll/.test(getComputedStyle(element).overflowX) &&
      element.scrollWidth > element.clientWidth + 1;
    for (const element of document.querySelectorAll('body *:not(.terminal)'))
      if (isShown(element) && isScrolled(element)) found.push(`${element.className} is cut at its side`);
    for (const control of document.querySelectorAll('button, select, input, textarea, [role="tab"]')) {
      const frame = control.closest('.card, form')?.getBoundingClientRect();
      if (frame && isShown(control) && control.getBoundingClientRect().right > frame.right)
        found.push(`${control.getAttribute('name') ?? control.textContent} sticks out of its card`);
    }
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let text = texts.nextNode(); text; text = texts.nextNode())
      for (const { 0: word, index } of (text.textContent ?? '').matchAll(/(?<!\S)[A-Za-z]{2,12}(?!\S)/g)) {
        const range = document.createRange();
        range.setStart(text, index);
        range.setEnd(text, index + word.length);
        const lines = new Set([...range.getClientRects()].map(({ top }) => Math.round(top)));
        if (lines.size > 1) found.push(`the word "${word}" is broken over lines`);
      }
    return found;
  });

it('before the first agent nothing is an error, and the mail says how to begin', async () => {
  await goTo('/ui/mail');
  await page.getByText('No mail yet').waitFor();
  for (const path of ['/ui/mail', '/ui/', '/ui/requests', '/ui/reminders']) {
    await goTo(path);
    expect(await page.getByRole('alert').count(), path).toBe(0);
  }
  expect(visitor.problems).toEqual([]);
});

it('all mail is the mail of every mailbox, each message once, and the search finds it', async () => {
  await world.launch('ana');
  await world.launch(LONG);
  await world.mail('ana', await world.addressOf(LONG), 'Between the two', 'about zebras');
  await world.mail(LONG, OPERATOR, 'To the operator', 'about lions');
  await goTo('/ui/mail');
  const list = page.getByRole('region', { name: 'Conversations' });
  for (const subject of ['Between the two', 'To the operator'])
    await vi.waitFor(async () => expect(await list.getByText(subject).count()).toBe(1), WAIT);
  await list.getByRole('searchbox', { name: 'Search mail' }).fill('zebras');
  await list.getByRole('searchbox', { name: 'Search mail' }).press('Enter');
  await list.getByText('To the operator').waitFor({ state: 'detached' });
  await list.getByText('Between the two').click();
  await page.getByRole('region', { name: 'Thread' }).getByText('about zebras').first().waitFor();
}, 120_000);

it('from 320 to 2560 px no word is broken, no control is cut and no name of an agent vanishes, in every view', async () => {
  const { client } = world.agent(LONG);
  const { request_id } = await client.submitPrompt({ prompt: 'count to three' });
  await vi.waitFor(async () => {
    const { ledger } = await client.getRequest(request_id);
    expect(ledger?.map(({ stage }) => stage)).toContain('turn_finished');
  }, WAIT);
  await world.asks('May I merge the parser branch?');
  const wrong: string[] = [];
  for (const view of VIEWS) {
    await goTo(view);
    if (view === '/ui/') await agentRow(page, LONG).getByText('new result').waitFor();
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 860 });
      for (const each of await broken()) wrong.push(`${view} at ${width} px: ${each}`);
      if ((await sticksOut(page)) > 0) wrong.push(`${view} at ${width} px: something sticks out`);
    }
  }
  expect(wrong).toEqual([]);
}, 240_000);

it('the command that one approves is whole at every width', async () => {
  const command =
    'rm -rf node_modules dist && npm ci && npm run build && npm publish --tag next --access public';
  const { control } = world.agent('ana');
  await control.send('open-dialog', { kind: 'permission', title: 'Bash command', detail: command });
  await goTo('/ui/agents/ana');
  const text = page.getByRole('region', { name: 'The question, as on its screen' });
  await text.waitFor();
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 860 });
    const seen = await text.evaluate((element) => ({
      text: element.textContent?.replaceAll(/\s+/g, ''),
      hidden: [element.scrollWidth - element.clientWidth, element.scrollHeight - element.clientHeight],
    }));
    expect(seen.text, `${width} px`).toContain(command.replaceAll(/\s+/g, ''));
    expect(Math.max(...seen.hidden), `${width} px`).toBeLessThanOrEqual(0);
  }
  await control.send('close-dialog');
}, 120_000);

it('the commands beside an agent and under the composer queue what is asked', async () => {
  await page.setViewportSize({ width: 1280, height: 860 });
  await goTo('/ui/agents/ana?tab=facts');
  await page.getByText('rouse agents gateway requests submit ana --prompt TEXT').waitFor();
  const composer = page.getByRole('form', { name: 'Write to ana' });
  await composer.getByRole('radio', { name: 'Prompt when ready' }).click();
  await composer.getByRole('textbox', { name: 'Prompt' }).fill('say hello');
  await composer.getByRole('button', { name: 'Queue the prompt' }).click();
  await composer.getByText("rouse agents gateway requests submit ana --prompt 'say hello'").waitFor();
}, 120_000);
