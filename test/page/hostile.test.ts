import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FULL } from '../support/sample.ts';
import { accessibilityOf, LOOKS, openBrowser, Visitor } from './support/browser.ts';
import { OPERATOR } from './support/jobs.ts';
import { ShownWorld } from './support/shown-world.ts';

/** Text that would run, open links, reverse direction or move a cursor if it were not treated as text. */
const MARKUP =
  '<img src=x onerror=alert(1)><script>alert(2)</script><style>*{display:none}</style><b>bold</b>';
const LINKS =
  'javascript:alert(3) https://evil.example/?a="><svg/onload=alert(4)> data:text/html,<script>5</script>';
const TURNED = 'invoice\u202egnp.exe\u202c \u2066in\u2069 zero\u200bwidth';
const ESCAPES = '\u001b[2J\u001b[31mred\u001b]8;;https://evil.example\u0007link\u001b]8;;\u0007\u0007';
const ONE_LINE = `${MARKUP} ${LINKS}`;
const LINES = `${MARKUP}\n${LINKS}\n${TURNED}\n${ESCAPES}`;
/** A body of the maximum length. */
const LONG = `${LINES}\n${'0123456789abcde\n'.repeat(62_000)}`;

let world: ShownWorld;
let browser: Browser;
let requestId: string;
beforeAll(async () => {
  [world, browser] = await Promise.all([ShownWorld.open(), openBrowser()]);
  const agent = await world.launch('mallory');
  await world.mail('mallory', OPERATOR, `subject ${ONE_LINE}`, LONG);
  await world
    .mail('mallory', OPERATOR, `turned ${TURNED.replaceAll('\u200b', '')}`, LINES)
    .catch(() => undefined);
  requestId = await world.asks(
    `title ${MARKUP}`.slice(0, 200),
    'approval',
    LINES.replaceAll('\u001b', '').replaceAll('\u0007', ''),
  );
  await agent.client.call('reminders.create', {
    body: {
      reminders: [
        {
          mode: 'one_off',
          title: `reminder ${ONE_LINE}`,
          prompt: LINES,
          ranking: 0,
          start_after_seconds: 86_400,
        },
      ],
    },
  });
  await agent.client.submitPrompt({ prompt: `prompt ${ONE_LINE}` });
  await agent.control.event('turn_finished');
  await agent.control.send('say', { text: `screen ${MARKUP} ${TURNED}` });
  await agent.control.send('open-dialog', { kind: 'permission', title: `dialog ${MARKUP}`, detail: TURNED });
}, 240_000);
afterAll(async () => {
  await browser?.close();
  await world?.close();
});

const VIEWS: readonly { at: () => string; shows: string; open?: (page: Page) => Promise<void> }[] = [
  { at: () => '/ui/', shows: 'title <img src=x' },
  { at: () => '/ui/agents/mallory', shows: '<img src=x onerror=alert(1)>' },
  { at: () => '/ui/agents/mallory?tab=mail', shows: 'subject <img' },
  { at: () => '/ui/agents/mallory?tab=queue', shows: 'prompt <img' },
  { at: () => '/ui/agents/mallory?tab=reminders', shows: 'reminder <img' },
  { at: () => '/ui/requests', shows: 'title <img src=x' },
  { at: () => `/ui/requests?id=${requestId}`, shows: '\\u202e' },
  { at: () => '/ui/reminders', shows: 'reminder <img' },
  {
    at: () => '/ui/mail?q=subject',
    shows: '\\u001b[2J',
    open: async (page) => {
      await page.getByRole('list', { name: 'Conversations' }).getByRole('link').first().click();
      await page.getByRole('button', { name: /Show all/ }).click();
    },
  },
];

describe.runIf(FULL)('what agents wrote is shown as text', () => {
  it.each(
    VIEWS.map((view) => ({
      ...view,
      title: `${VIEWS.indexOf(view)}: ${view.shows}`,
    })),
  )('$title', async ({ at, shows, open }) => {
    for (const look of LOOKS.slice(0, 2)) {
      const visitor = await Visitor.come(browser, look, world.origin);
      const page = await visitor.tab(await world.link({}, at()));
      page.on('dialog', (dialog) => {
        visitor.problems.push(`a dialog: ${dialog.message()}`);
        void dialog.dismiss();
      });
      await page.locator('[data-live="live"]').waitFor();
      await open?.(page);
      await page.getByText(shows).filter({ visible: true }).first().waitFor();
      expect(await strangers(page)).toEqual([]);
      expect(await accessibilityOf(page)).toEqual([]);
      expect(visitor.problems).toEqual([]);
      await visitor.leave();
    }
  });
});

/** Elements that are not ours, links with another target than they show, and raw characters that should be escaped. */
function strangers(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const found: string[] = [];
    for (const element of document.body.querySelectorAll(
      'img, script, style, iframe, object, embed, b, [onerror], [onload]',
    ))
      found.push(element.outerHTML.slice(0, 100));
    for (const link of document.querySelectorAll('a')) {
      const { protocol, origin } = new URL(link.href);
      if (!['http:', 'https:', 'mailto:'].includes(protocol)) found.push(`a link to ${link.href}`);
      if (origin !== location.origin && !/noreferrer/.test(link.rel))
        found.push(`${link.href} would tell where we are`);
    }
    const text = document.body.innerText + document.title;
    for (const [raw] of text.matchAll(
      /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b\u202a-\u202e\u2066-\u2069]/g,
    ))
      found.push(`a raw U+${raw.charCodeAt(0).toString(16)}`);
    return found;
  });
}
