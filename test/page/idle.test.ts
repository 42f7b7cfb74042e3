import * as fs from 'node:fs';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { openBrowser, Visitor } from './support/browser.ts';
import { WAIT } from './support/jobs.ts';
import { ShownWorld } from './support/shown-world.ts';

let world: ShownWorld;
let browser: Browser;
let ledger: string;
let request: string;
let message: string;
const LATER = {
  mode: 'one_off',
  title: 'later',
  prompt: 'x',
  ranking: 1,
  start_after_seconds: 3600,
} as const;
beforeAll(async () => {
  [world, browser] = await Promise.all([ShownWorld.open(), openBrowser()]);
  for (const name of ['ana', 'ben']) await world.launch(name);
  ledger = await turn('ana', 'say hello');
  await world.mail('ben', await world.addressOf('ana'), 'Hello ana', 'about zebras');
  const { messages } = await world.agent('ana').client.call('mail.list', { body: {} });
  message = messages.find(({ subject }) => subject === 'Hello ana')!.message_ref;
  request = await world.asks('May I merge the parser branch?');
  await world.agent('ben').control.send('open-dialog', { kind: 'permission', title: 'Bash command' });
}, 240_000);
afterAll(async () => {
  await browser?.close();
  await world?.close();
});

const LOOK = { width: 1280, theme: 'light' } as const;
const TABS = ['', '?tab=mail', '?tab=queue', '?tab=reminders', '?tab=facts'].map(
  (tab) => `/ui/agents/ana${tab}`,
);

/** Every view, and every panel that can be open over it. */
const views = (): string[] => [
  '/ui/',
  ...TABS,
  `/ui/agents/ana?ledger=${ledger}`,
  '/ui/agents/ben',
  '/ui/agents/hana',
  '/ui/activity',
  '/ui/health',
  '/ui/day',
  '/ui/mail',
  '/ui/mail?q=zebras',
  '/ui/requests',
  `/ui/requests?id=${request}`,
  '/ui/reminders',
];

/** What is opened by hand in some views. */
const OPENED: Record<string, (page: Page) => Promise<unknown>> = {
  '/ui/agents/ben': (page) => page.getByRole('region', { name: /ben asks/ }).waitFor(),
  '/ui/mail?q=zebras': async (page) => {
    await page.getByRole('region', { name: 'Conversations' }).getByText('Hello ana').click();
    await page.getByRole('region', { name: 'Thread' }).getByText('about zebras').first().waitFor();
  },
  '/ui/reminders': async (page) => {
    await page.getByRole('button', { name: 'Search everything' }).click();
    const overlay = page.getByRole('dialog', { name: 'Search' });
    await overlay.getByRole('searchbox').fill('zebras');
    await overlay.getByRole('link').filter({ hasText: 'Hello ana' }).first().waitFor();
  },
};

async function turn(name: string, prompt: string): Promise<string> {
  const { client } = world.agent(name);
  const { request_id } = await client.submitPrompt({ prompt });
  await vi.waitFor(async () => {
    const { ledger } = await client.getRequest(request_id);
    expect(ledger?.map(({ stage }) => stage)).toContain('turn_finished');
  }, WAIT);
  return request_id;
}

/** The requests of each view from now on; each in its own browser, so that views do not affect each other. */
async function watched(views: readonly string[]) {
  const visitors: Visitor[] = [];
  const asked: string[] = [];
  for (const view of views) {
    const visitor = await Visitor.come(browser, LOOK, world.origin);
    visitors.push(visitor);
    const page = await visitor.tab(await world.link({}, view));
    await page.locator('[data-live="live"]').waitFor();
    await OPENED[view]?.(page);
    page.on('request', (sent) => {
      // Parts of the program are loaded when the browser is idle, each once.
      if (!sent.url().includes('/ui/assets/')) asked.push(`${view} ${sent.method()} ${sent.url()}`);
    });
  }
  await Promise.all(visitors.flatMap(({ context }) => context.pages()).map(settled));
  asked.length = 0;
  return { asked, leave: () => Promise.all(visitors.map((visitor) => visitor.leave())) };
}

/** Waits until everything that a view loads at first is there. */
async function settled(page: Page): Promise<void> {
  await page.locator('[data-live="live"]').waitFor();
  await page.locator('main [role="status"][aria-label^="Loading"]').first().waitFor({ state: 'detached' });
  await page.waitForFunction(() => {
    const [newest = 0] = performance
      .getEntriesByType('resource')
      .map(({ startTime }) => startTime)
      .sort((a, b) => b - a);
    return performance.now() - newest > 1500;
  });
}

/** That nothing happens can only be seen by waiting. */
const quiet = (ms: number) => new Promise((done) => setTimeout(done, ms));

/** Between two checks of the mail an idle gateway writes nothing. */
async function calm(name: string): Promise<void> {
  await world.agent(name).client.call('notifier.enable', { body: { interval_seconds: 3600 } });
}

it('a page on which nothing changes asks for nothing, whatever is open on it, and its reads write nothing', async () => {
  await Promise.all(['ana', 'ben'].map(calm));
  const { asked, leave } = await watched(views());
  const written: string[] = [];
  const watches = ['ana', 'ben'].map((name) =>
    fs.watch(world.agent(name).root, (_, file) => written.push(`${name}: ${file}`)),
  );
  await quiet(10_000);
  for (const watch of watches) watch.close();
  await leave();
  expect(asked).toEqual([]);
  expect(written).toEqual([]);
}, 240_000);

it('a change of one agent makes a page ask at most twice, whatever is open on it', async () => {
  const shown = views();
  const { asked, leave } = await watched(shown);
  const asksOf = (view: string): string[] => asked.filter((each) => each.startsWith(`${view} `));
  const changes: (() => Promise<unknown>)[] = [
    () => world.agent('ana').client.call('notifier.enable', { body: { interval_seconds: 7200 } }),
    () => world.agent('ben').control.send('close-dialog'),
    () => world.agent('ana').client.call('reminders.create', { body: { reminders: [LATER] } }),
    () => world.agent('ana').client.call('mail.archive', { body: { message_refs: [message] } }),
    () => world.asks('May I merge the other branch?'),
  ];
  for (const change of changes) {
    asked.length = 0;
    await change();
    await expect.poll(() => asked.length, WAIT).toBeGreaterThan(0);
    await quiet(3000);
    for (const view of shown) expect(asksOf(view).length, asksOf(view).join('\n')).toBeLessThanOrEqual(2);
  }
  await leave();
}, 240_000);

it('what changes without end is asked for twice a second at most, and the last change is shown', async () => {
  const { asked, leave } = await watched(['/ui/agents/ana']);
  const beganMs = performance.now();
  for (let n = 0; n < 8; n++) await turn('ana', `count to ${n}`);
  const seconds = (performance.now() - beganMs) / 1000;
  const timelines = asked.filter((each) => each.includes('timeline'));
  expect(timelines.length).toBeGreaterThan(1);
  expect(timelines.length).toBeLessThanOrEqual(2 * seconds + 2);
  await leave();
}, 180_000);
