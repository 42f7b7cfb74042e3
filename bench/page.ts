import { readFileSync } from 'node:fs';
import { type Browser, chromium, type Page } from 'playwright-core';
import { Ending } from '../src/base/index.ts';
import { startBareStream } from './support/bare-stream.ts';
import { middle } from './support/median.ts';
import { openSessions, pageLink } from './support/page-clients.ts';
import { AGENTS, openWorld, type PageWorld, serveWorld } from './support/page-world.ts';

const ROUNDS = 11;
const CHANGES = 60;
const BLOCKS = 6;
const CLIENTS = 50;
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-sync',
];

/**
 * The page with 200 agents, 10,000 messages and 2,000 open requests: the first paint, compared with a page of the same server
 * with one line; how soon a change is visible, compared with a bare page that shows changes of the same file; and what fifty
 * clients cost the server.
 */
export async function run(print: (line: string) => void, args: string[]): Promise<void> {
  if (args[0] === 'serve') return serveWorld(args[1]!);
  const ending = new Ending();
  try {
    const world = await openWorld(ending);
    const browser = await chromium.launch({
      executablePath: process.env['ROUSE_TEST_CHROMIUM'] ?? '/usr/bin/chromium',
      args: FLAGS,
    });
    ending.add(() => browser.close());
    await firstPaint(print, browser, world);
    await changeToScreen(print, browser, world, ending);
    await manyClients(print, world);
  } finally {
    await ending.run();
  }
}

const paintOf = (page: Page): Promise<number> =>
  page.evaluate(
    () =>
      new Promise<number>((seen) => {
        const look = (entries: PerformanceEntry[]): void => {
          const paint = entries.find(({ name }) => name === 'first-contentful-paint');
          if (paint) seen(paint.startTime);
        };
        new PerformanceObserver((list) => look(list.getEntries())).observe({ type: 'paint', buffered: true });
      }),
  );

/** Cold each time: a new browser profile, nothing cached. */
async function firstPaint(
  print: (line: string) => void,
  browser: Browser,
  { origin }: PageWorld,
): Promise<void> {
  const times: Record<'blank' | 'ours' | 'rows', number[]> = { blank: [], ours: [], rows: [] };
  for (let round = 0; round <= ROUNDS; round++) {
    const blank = await fresh(browser, `${origin}/health`);
    const paint = await paintOf(blank);
    await blank.context().close();
    const ours = await fresh(browser, await pageLink(origin));
    const ourPaint = await paintOf(ours);
    const rows = await ours.waitForFunction((agents) => {
      return document.querySelectorAll('tr[data-agent]').length >= agents && performance.now();
    }, AGENTS);
    const all = Number(await rows.jsonValue());
    await ours.context().close();
    if (round === 0) continue;
    times.blank.push(paint);
    times.ours.push(ourPaint);
    times.rows.push(all);
  }
  const [blank, ours, rows] = [middle(times.blank), middle(times.ours), middle(times.rows)];
  print(`first contentful paint, median of ${ROUNDS} cold visits, in turn`);
  print(`  a line of text of the same server ${blank.toFixed(0).padStart(6)} ms`);
  print(
    `  the page                          ${ours.toFixed(0).padStart(6)} ms   ${(ours / blank).toFixed(2)}x (goal 3)`,
  );
  print(
    `  the page with all ${AGENTS} rows         ${rows.toFixed(0).padStart(6)} ms   ${(rows / blank).toFixed(2)}x`,
  );
}

async function fresh(browser: Browser, address: string): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  const page = await context.newPage();
  await page.goto(address);
  return page;
}

/** When a word was first on the screen, by the clock that both processes share. */
const whenSeen = (page: Page, word: string): Promise<number> =>
  page
    .waitForFunction(
      (wanted) => (window as unknown as { seen: Map<string, number> }).seen.get(wanted),
      word,
      {
        polling: 100,
      },
    )
    .then((found) => found.jsonValue() as Promise<number>);

/** Watches only one element, because reading the whole page at each change would dominate the measurement. */
async function watch(page: Page, where: string): Promise<void> {
  await page.evaluate((selector) => {
    const seen = new Map<string, number>();
    Object.assign(window, { seen });
    const look = (): void => {
      const [word] = /word-\d+\./.exec(document.querySelector(selector)?.textContent ?? '') ?? [];
      if (word && !seen.has(word)) {
        seen.set(word, 0);
        requestAnimationFrame(() => seen.set(word, performance.timeOrigin + performance.now()));
      }
    };
    new MutationObserver(look).observe(document.body, {
      subtree: true,
      childList: true,
      characterData: true,
    });
  }, where);
}

/** The pages alternate, because two that paint at once on two cores would wait for each other. */
async function changeToScreen(
  print: (line: string) => void,
  browser: Browser,
  { agents, origin }: PageWorld,
  ending: Ending,
): Promise<void> {
  const bare = await startBareStream(agents.glanceFile(0));
  ending.add(() => bare.stop());
  const sides = {
    bare: { open: async () => bare.url, ready: '#said', seen: '#said' },
    ours: {
      open: () => pageLink(origin),
      ready: '[data-live="live"]',
      seen: 'tr[data-agent="agent-0"]',
    },
  };
  const times: Record<keyof typeof sides, number[]> = { bare: [], ours: [] };
  for (let block = 0; block < BLOCKS; block++)
    for (const [name, side] of Object.entries(sides) as [keyof typeof sides, (typeof sides)['bare']][]) {
      const page = await fresh(browser, await side.open());
      await page.locator(side.ready).waitFor();
      await watch(page, side.seen);
      for (let n = -1; n < CHANGES / BLOCKS; n++) {
        await new Promise((done) => setTimeout(done, 300 + ((n * 37 + 37) % 200)));
        // Ends with a dot, because a number follows it in the row.
        const word = `word-${block}${n + 1}${name === 'ours' ? 1 : 0}.`;
        const wrote = performance.timeOrigin + performance.now();
        agents.glance(0, { state: 'working', words: word, needs_you: null });
        const took = (await whenSeen(page, word)) - wrote;
        // The first change is not counted: the page has just been opened.
        if (n >= 0) times[name].push(took);
      }
      await page.context().close();
    }
  const of = (values: number[], part: number): number =>
    values.toSorted((a, b) => a - b)[Math.floor(values.length * part)]!;
  print(`\nfrom a gateway's file to the screen, ${CHANGES} changes each, in turn`);
  for (const name of ['bare', 'ours'] as const) {
    const [half, most] = [of(times[name], 0.5), of(times[name], 0.95)];
    const ratio = name === 'ours' ? `   p95 ${(most / of(times.bare, 0.95)).toFixed(2)}x (goal 2)` : '';
    print(
      `  ${name === 'ours' ? 'the page     ' : 'bare SSE page'}  p50 ${half.toFixed(1).padStart(5)} ms  p95 ${most.toFixed(1).padStart(5)} ms${ratio}`,
    );
  }
}

/** Processor time of the server in milliseconds, and its memory. */
function costOf(pid: number): { cpu: number; memory: number } {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ');
  const [, memory = '0'] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return { cpu: (Number(stat[11]) + Number(stat[12])) * 10, memory: Number(memory) / 1024 };
}

async function manyClients(print: (line: string) => void, { agents, origin, pid }: PageWorld): Promise<void> {
  print(`\n${CHANGES} changes in ${(CHANGES * 0.25).toFixed(0)} s: processor time of the server`);
  for (const clients of [0, 1, CLIENTS]) {
    const opened = await openSessions(origin, clients);
    const before = costOf(pid);
    for (let n = 0; n < CHANGES; n++) {
      agents.glance(n % AGENTS, { state: 'working', words: `clients ${clients} ${n}`, needs_you: null });
      await new Promise((done) => setTimeout(done, 250));
    }
    const after = costOf(pid);
    const received = await opened.close();
    print(
      `  ${String(clients).padStart(2)} clients  ${(after.cpu - before.cpu).toFixed(0).padStart(5)} ms` +
        `  ${((after.cpu - before.cpu) / CHANGES).toFixed(1)} ms each change  ${after.memory.toFixed(0)} MB` +
        (clients
          ? `  ${(received.bytes / clients / 1024).toFixed(0)} KiB and ${(received.events / clients).toFixed(0)} events each`
          : ''),
    );
  }
}
