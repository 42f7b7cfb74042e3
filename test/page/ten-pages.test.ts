import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import * as fs from 'node:fs';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { serverFiles } from '../../src/fleet/index.ts';
import type { PageCode } from '../../src/wire/index.ts';
import { freePort } from '../support/nginx.ts';
import { proofReport } from '../support/proof-report.ts';
import { FULL } from '../support/sample.ts';
import { ROUSE, TestWorld, type WorldAgent } from '../support/test-world.ts';
import { openBrowser, Visitor } from './support/browser.ts';
import { WAIT } from './support/jobs.ts';
import { openDatabases } from './support/open-databases.ts';

const PAGES = 10;
const MINUTES = 10;

// A server in a process of its own: in ours, the browser's client keeps thousands of requests. That few databases stay open is
// seen sooner in page-api.test.ts.
describe.runIf(FULL)('ten pages', () => {
  const world = new TestWorld();
  let server: ChildProcess;
  let url: string;
  let ana: WorldAgent;
  let browser: Browser;
  beforeAll(async () => {
    const port = await freePort();
    url = `http://127.0.0.1:${port}`;
    const words = [ROUSE, 'server', 'start', '--port', String(port)];
    server = spawn(process.execPath, words, { env: world.context.env, stdio: 'ignore' });
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

  function memory(): number {
    const [, kilobytes] = /^VmRSS:\s+(\d+) kB$/m.exec(fs.readFileSync(`/proc/${server.pid}/status`, 'utf8'))!;
    return Number(kilobytes) / 1000;
  }

  it(
    'ten pages that stay open on a busy agent leave the server as large as it was',
    async () => {
      for (let n = 0; n < PAGES; n++) await openPage();
      const samples: { files: number; megabytes: number }[] = [];
      const beganMs = performance.now();
      while (performance.now() - beganMs < MINUTES * 60_000) {
        await turn(`count to ${samples.length}`);
        samples.push({ files: openDatabases(server.pid), megabytes: memory() });
      }
      const third = Math.ceil(samples.length / 3);
      const [early, late] = [samples.slice(0, third), samples.slice(-third)];
      const lowest = (part: typeof samples): number =>
        Math.round(Math.min(...part.map(({ megabytes }) => megabytes)));
      const largest = (part: typeof samples): number => Math.max(...part.map(({ files }) => files));
      proofReport(
        `${PAGES} pages open for ${MINUTES} minutes, ${samples.length} turns: the server has ${lowest(early)} MB in the first third and ${lowest(late)} MB in the last`,
      );
      expect(largest(late)).toBeLessThanOrEqual(largest(early) + 3);
      expect(lowest(late) / lowest(early)).toBeLessThan(1.2);
    },
    MINUTES * 60_000 + 240_000,
  );
});
