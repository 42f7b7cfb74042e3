import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import * as fs from 'node:fs';
import * as net from 'node:net';
import * as os from 'node:os';
import * as path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { isRouseError } from '../../src/base/index.ts';
import { AgentHouse, type HousedAgent } from '../support/agent-house.ts';
import { proofReport } from '../support/proof-report.ts';
import { sampled } from '../support/sample.ts';
import { FleetUnderTest } from './fleet-under-test.ts';
import { KINDS, SmallFileSystem, whyNot } from './small-file-system.ts';

/** Nothing is injected here: a small file system is really full or read-only, and descriptors really run out. */
const PROGRAM = path.resolve(import.meta.dirname, '../../dist/rouse.cjs');
const WAIT = { timeout: 60_000, interval: 200 };
/** The reason stands in the title of what is skipped. */
const DISKS = sampled(import.meta.filename, KINDS, 1).map((kind) => {
  const reason = whyNot(kind);
  return { kind, reason, title: reason === undefined ? kind : `${kind} (not here: ${reason})` };
});

function disk(kind: (typeof KINDS)[number], megabytes: number): SmallFileSystem {
  const made = new SmallFileSystem(kind, megabytes);
  onTestFinished(() => made.close());
  return made;
}

async function submit(agent: HousedAgent, prompt: string): Promise<string | undefined> {
  try {
    return (await agent.client.submitPrompt({ prompt })).request_id;
  } catch (error) {
    if (isRouseError(error) && error.code === 'unavailable') return undefined;
    throw error;
  }
}

const times = (agent: HousedAgent, prompt: string): number =>
  agent.received().filter((each) => each === prompt).length;

async function arrivesOnce(agent: HousedAgent, id: string, prompt: string): Promise<void> {
  await expect.poll(() => agent.client.getRequest(id), WAIT).toMatchObject({ state: 'completed' });
  // A transcript that found no room is written a little later.
  await expect.poll(() => times(agent, prompt), WAIT).toBeGreaterThan(0);
  expect([prompt, times(agent, prompt)]).toEqual([prompt, 1]);
}

describe.each(DISKS)('a small disk: $title', ({ kind, reason }) => {
  it.skipIf(reason)('full: gateway and scripted agent go on, say so, and lose nothing', async () => {
    const small = disk(kind, 24);
    const house = new AgentHouse(path.join(small.directory, 'h'));
    onTestFinished(async () => {
      small.empty();
      await house.close();
    });
    const agent = await house.launch('ana', ['--turn', '20ms']);
    const before = await submit(agent, 'before');
    await arrivesOnce(agent, before!, 'before');
    small.fill();
    const during = await Promise.all([1, 2, 3].map((n) => submit(agent, `during ${n}`)));
    expect(during).toEqual([undefined, undefined, undefined]);
    await expect
      .poll(() => agent.client.health(), WAIT)
      .toMatchObject({ status: 'degraded', pid: agent.pid });
    small.empty();
    await arrivesOnce(agent, (await submit(agent, 'after'))!, 'after');
    for (const n of [1, 2, 3]) expect(times(agent, `during ${n}`)).toBe(0);
    await expect.poll(() => agent.client.health(), WAIT).toMatchObject({ status: 'ok', pid: agent.pid });
    proofReport(`gateway and agent on a full ${kind}: 3 of 3 requests told so; lost 0, doubled 0, ended 0`);
  });

  it.skipIf(reason)(
    'full or read-only: mail commands say so in a sentence, and work again afterwards',
    () => {
      const small = disk(kind, 6);
      const root = path.join(small.directory, 'mail');
      const inbox = path.join(small.directory, '.agent', 'inbox.md');
      fs.mkdirSync(path.dirname(inbox));
      const rouse = (args: string[], input = '') => {
        const { status, stdout, stderr } = spawnSync(process.execPath, [PROGRAM, ...args], {
          encoding: 'utf8',
          input,
          env: { PATH: process.env['PATH'], HOME: os.tmpdir() },
        });
        return { code: status, out: stdout, err: stderr };
      };
      const writers: Record<string, (id: string) => ReturnType<typeof rouse>> = {
        post: (id) =>
          rouse([
            'mail',
            'post',
            '--mailbox-root',
            root,
            '--address',
            'a@x',
            '--subject',
            id,
            '--body-content',
            'x',
            '--idempotency-key',
            id,
          ]),
        prepend: (id) =>
          rouse(
            ['mailfile', 'prepend', '--mailbox', inbox],
            `---\nfrom: a\nto: b\nre: c\nmsg-id: ${id}\ncreated: 2026-01-01T00:00:00Z\n---\ntext\n`,
          ),
      };
      const listed = (): string =>
        rouse(['mail', 'list', '--mailbox-root', root, '--address', 'a@x']).out +
        rouse(['mailfile', 'list', '--mailbox', inbox]).out;
      expect(rouse(['mailbox', 'init', '--mailbox-root', root]).code).toBe(0);
      expect(rouse(['mailbox', 'register', '--mailbox-root', root, '--address', 'a@x']).code).toBe(0);
      for (const write of Object.values(writers)) expect(write('before').code).toBe(0);
      const weather: [string, () => void, () => void][] = [
        ['full', () => small.fill(), () => small.empty()],
        ['read-only', () => small.setReadOnly(true), () => small.setReadOnly(false)],
      ];
      for (const [how, begin, end] of weather) {
        begin();
        for (const [name, write] of Object.entries(writers)) {
          const { code, err } = write(how);
          expect([7, 8], `${name} on a ${how} disk: ${code} ${err}`).toContain(code);
          expect(err).toMatch(/^error: .{20,}\n/);
          expect(err).not.toMatch(/^\s+at /m);
        }
        end();
        for (const write of Object.values(writers)) expect(write(how).code).toBe(0);
        expect(listed().split(how).length - 1).toBe(2);
      }
    },
  );
});

describe('with few descriptors', () => {
  it('a fleet server outlives more connections than it may have, twice, and takes others afterwards', async () => {
    const home = fs.mkdtempSync(path.join(os.tmpdir(), 'rouse-few-'));
    onTestFinished(() => fs.rmSync(home, { recursive: true, force: true }));
    const fleet = await FleetUnderTest.start({ home, words: ['prlimit', '--nofile=512:512'] });
    onTestFinished(() => fleet.end());
    const { hostname, port } = new URL(fleet.url);
    for (const round of [1, 2]) {
      const held = Array.from({ length: 800 }, () =>
        net.connect(Number(port), hostname).on('error', () => {}),
      );
      await Promise.all(held.map((socket) => once(socket, 'connect').catch(() => {})));
      for (const socket of held) socket.destroy();
      await expect.poll(() => fleet.health().catch(() => undefined), WAIT).toMatchObject({ status: 'ok' });
      await fleet.isThereOnce(`round ${round}`, await fleet.ask(`round ${round}`));
    }
    proofReport('the fleet server with 512 descriptors and 800 connections, twice: ended 0');
  });
});
