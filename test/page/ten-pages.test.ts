import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import * as fs from 'node:fs';
import * as path from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { serverFiles } from '../../src/fleet/index.ts';
import type { PageCode } from '../../src/wire/index.ts';
import { freePort } from '../support/nginx.ts';
import { inWords, proofReport } from '../support/proof-report.ts';
import { FULL } from '../support/sample.ts';
import { ROUSE, TestWorld, type WorldAgent } from '../support/test-world.ts';
import { openBrowser, Visitor } from './support/browser.ts';
import { WAIT } from './support/jobs.ts';
import { openDatabases } from './support/open-databases.ts';

/** What the server holds after a full collection, in MB; external are buffers, and the memory of the embedded database. */
type Held = Record<'heap' | 'external', number>;

interface Sample {
  files: number;
  /** Resident memory in MB, as the kernel counts it. */
  resident: number;
}

// A server in a process of its own: in ours, the browser's client keeps thousands of requests. That few databases stay open is
// seen sooner in page-api.test.ts.
describe.runIf(FULL).each([
  { pages: 10, minutes: 10 },
  { pages: 50, minutes: 5 },
])('$pages pages', ({ pages, minutes }) => {
  const world = new TestWorld();
  let server: ChildProcess;
  let url: string;
  let ana: WorldAgent;
  let browser: Browser;
  beforeAll(async () => {
    const port = await freePort();
    url = `http://127.0.0.1:${port}`;
    const preload = path.join(import.meta.dirname, 'support/held-memory.mjs');
    const words = ['--expose-gc', '--import', preload, ROUSE, 'server', 'start', '--port', String(port)];
    const stdio = ['ignore', 'ignore', 'ignore', 'ipc'] as const;
    server = spawn(process.execPath, words, { env: world.context.env, stdio: [...stdio] });
    await vi.waitFor(async () => expect((await fetch(`${url}/ready`)).ok).toBe(true), WAIT);
    world.fleet = { url, tokenFile: serverFiles(world.home).adminToken };
    ana = await world.agent('ana', ['--turn', '200ms']);
    browser = await openBrowser();
  }, 240_000);
  afterAll(async () => {
    await browser?.close();
    if (server.exitCode === null) {
      server.kill('SIGTERM');
      await once(server, 'exit');
    }
    await world.close();
  });

  async function openPage(): Promise<void> {
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(`${url}/ui/api/codes`, { method: 'POST', headers, body: '{}' });
    const { code } = (await response.json()) as PageCode;
    const visitor = await Visitor.come(browser, { width: 1280, theme: 'light' }, url);
    const page = await visitor.tab(`${url}/ui/agents/ana#code=${code}`);
    await page.locator('[data-live="live"]').waitFor();
  }

  async function turn(prompt: string): Promise<void> {
    const { request_id } = await ana.client.submitPrompt({ prompt }, {}, { timeoutMs: WAIT.timeout });
    await vi.waitFor(async () => {
      const { ledger } = await ana.client.getRequest(request_id);
      expect(ledger?.map(({ stage }) => stage)).toContain('turn_finished');
    }, WAIT);
  }

  function resident(): number {
    const [, kilobytes] = /^VmRSS:\s+(\d+) kB$/m.exec(fs.readFileSync(`/proc/${server.pid}/status`, 'utf8'))!;
    return Math.round(Number(kilobytes) / 1000);
  }

  async function held(): Promise<Held> {
    const answer = once(server, 'message');
    server.send('collect');
    const [{ heapUsed, external }] = await answer;
    return { heap: Math.round(heapUsed / 1e6), external: Math.round(external / 1e6) };
  }

  async function busy(ms: number): Promise<Sample[]> {
    const samples: Sample[] = [];
    const beganMs = performance.now();
    while (performance.now() - beganMs < ms) {
      await turn(`count to ${samples.length}`);
      samples.push({ files: openDatabases(server.pid), resident: resident() });
    }
    return samples;
  }

  it(
    `${pages} pages that stay open on a busy agent leave the server as large as it was`,
    async () => {
      for (let n = 0; n < pages; n++) await openPage();
      const third = (minutes * 60_000) / 3;
      const warmUp = await busy(third);
      const before = await held();
      const early = await busy(third);
      const late = await busy(third);
      const after = await held();
      const lowest = (part: Sample[]): number => Math.min(...part.map((each) => each.resident));
      const largest = (part: Sample[]): number => Math.max(...part.map(({ files }) => files));
      const turns = warmUp.length + early.length + late.length;
      proofReport(
        `${pages} pages open for ${minutes} minutes, ${turns} turns: the server holds ${inWords(before)} MB after the first third and ` +
          `${inWords(after)} MB at the end; resident it has ${[warmUp, early, late].map(lowest).join(', ')} MB`,
      );
      expect(largest(late)).toBeLessThanOrEqual(largest(early) + 3);
      // A leak is in what a full collection leaves: an answer kept for each page and turn would double it. What is bounded may
      // still fill up. Resident memory has the embedded database, what the allocator keeps, and garbage, which V8 lets grow to
      // several times the live heap before it is worth a collection. So it rises and falls, and its lowest may only level off.
      expect(after.heap / before.heap).toBeLessThan(1.25);
      expect(after.external / before.external).toBeLessThan(1.1);
      expect(lowest(late) / lowest(early)).toBeLessThan(1.15);
    },
    minutes * 60_000 + 240_000,
  );
});
