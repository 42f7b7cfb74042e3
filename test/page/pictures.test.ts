import * as fs from 'node:fs';
import * as path from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { FULL } from '../support/sample.ts';
import { accessibilityOf, LOOKS, openBrowser, Visitor } from './support/browser.ts';
import { OPERATOR, WAIT } from './support/jobs.ts';
import { ShownWorld } from './support/shown-world.ts';

/** `ROUSE_PICTURES=docs/pictures npx vitest run --project walk test/page/pictures` makes those of the documents. */
const PLACE = process.env['ROUSE_PICTURES'];

interface View {
  name: string;
  at: string;
  ready: (page: Page) => Promise<unknown>;
  /** The picture's name in the documents, by width and theme. */
  documented: Readonly<Record<string, string>>;
}

const VIEWS: readonly View[] = [
  {
    name: 'home',
    at: '/ui/',
    ready: (page) => page.getByText('permission dialog').waitFor(),
    documented: { '1280 light': 'home', '1280 dark': 'home-dark', '360 light': 'phone' },
  },
  {
    name: 'agent',
    at: '/ui/agents/ana',
    ready: (page) => page.getByRole('region', { name: /ana asks/ }).waitFor(),
    documented: { '1280 dark': 'agent' },
  },
  {
    name: 'mail',
    at: '/ui/mail',
    ready: async (page) => {
      await page
        .getByRole('region', { name: 'Conversations' })
        .getByText('The flaky test is steady')
        .first()
        .click();
      await page.getByRole('button', { name: 'Reply' }).waitFor();
    },
    documented: { '1280 light': 'mail' },
  },
  {
    name: 'requests',
    at: '/ui/requests',
    ready: (page) => page.getByText('May I merge').waitFor(),
    documented: { '1280 light': 'requests' },
  },
  {
    name: 'reminders',
    at: '/ui/reminders',
    ready: (page) => page.getByText('Look at the build').first().waitFor(),
    documented: { '1280 dark': 'reminders' },
  },
];

const PICTURES = VIEWS.flatMap((view) =>
  LOOKS.map((look) => ({ ...view, look, file: view.documented[`${look.width} ${look.theme}`] })),
).filter(({ file }) => FULL || file !== undefined);

let world: ShownWorld;
let browser: Browser;
beforeAll(async () => {
  [world, browser] = await Promise.all([ShownWorld.open(), openBrowser()]);
  await world.launch('ana', ['--skin', 'claude-like', '--turn', '300ms']);
  await world.launch('ben', ['--turn', '400ms', '--act-on-mail']);
  await world.launch('cleo', ['--skin', 'qwen-like']);
  await world.launch('dan', ['--turn', '10m']);
  await scene(world);
}, 180_000);
afterAll(async () => {
  await browser?.close();
  await world?.close();
});

/** An hour of work within a minute. */
async function scene({ agents, mail, asks }: ShownWorld): Promise<void> {
  await agents['dan']!.client.submitPrompt({ prompt: 'Run the benchmarks of the queue again and compare' });
  await agents['dan']!.control.event('submitted');
  const send = mail.bind(world);
  await send(
    'cleo',
    OPERATOR,
    'Release notes, first draft',
    'Here is the first draft for 0.2. Two names are still open.',
  );
  await send(
    'ben',
    await world.addressOf('ana'),
    'Review of the parser branch',
    'Looks good. Two remarks about naming.',
  );
  await send(
    'dan',
    await world.addressOf('ben'),
    'Benchmarks',
    'The numbers of last night are in bench/out.',
  );
  const body =
    'I replaced the sleep with an event: 200 runs, none failed.\n\nDetails: https://ci.example.org/runs/4411\n\n' +
    'The change touches two files:\n  src/parser/tokens.ts\n  src/parser/tokens.test.ts\n\nShall I merge it?';
  await send('ana', OPERATOR, 'The flaky test is steady now', body);
  const ask = asks.bind(world);
  await ask('May I merge the parser branch?', 'approval', 'All tests are green, and ben has looked at it.');
  await ask('Which of the two names for the new command?', 'task', 'wake or rouse; both are free.');
  for (const [title, ranking] of [
    ['Look at the build', -5],
    ['Weekly summary', 10],
  ] as const)
    await agents['cleo']!.client.call('reminders.create', {
      body: {
        reminders: [
          {
            mode: 'repeat',
            title,
            prompt: `${title}, and mail me what is red.`,
            ranking,
            start_after_seconds: 900,
            interval_seconds: 1800,
          },
        ],
      },
    });
  for (const text of [
    'please make the flaky parser test steady',
    'summarise what you changed, in one paragraph',
  ]) {
    const { client } = agents['ana']!;
    const { request_id } = await client.submitPrompt({ prompt: text });
    await vi.waitFor(async () => {
      const { ledger } = await client.getRequest(request_id);
      expect(ledger?.map(({ stage }) => stage)).toContain('turn_finished');
    }, WAIT);
  }
  const detail = 'rm -rf build && npm test';
  await agents['ana']!.control.send('open-dialog', { kind: 'permission', title: 'Bash command', detail });
}

describe.runIf(FULL || PLACE)('every view, as people see it', () => {
  it.each(PICTURES)('$name, $look.width px, $look.theme', async ({ file, look, at, ready }) => {
    const visitor = await Visitor.come(browser, look, world.origin);
    const page = await visitor.tab(await world.link({}, at));
    await page.locator('[data-live="live"]').waitFor();
    await ready(page);
    await page.waitForFunction(
      () =>
        document.fonts.status === 'loaded' &&
        document.querySelectorAll('[role="status"][aria-label^="Loading"]').length === 0,
    );
    expect(await accessibilityOf(page)).toEqual([]);
    const session = await page.context().newCDPSession(page);
    const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality: 82 });
    expect(data.length).toBeGreaterThan(10_000);
    if (PLACE && file) fs.writeFileSync(path.join(PLACE, `${file}.webp`), Buffer.from(data, 'base64'));
    expect(visitor.problems).toEqual([]);
    await visitor.leave();
  });
});
