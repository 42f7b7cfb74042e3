import { spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { isRouseError } from '../../src/base/index.ts';
import { proofReport } from '../support/proof-report.ts';
import { TestWorld, type WorldAgent } from '../support/test-world.ts';
import { disksFor, smallDisk } from './small-file-system.ts';
import { Tally } from './tally.ts';

/** Without injected faults: a small file system is really full or read-only. */
const PROGRAM = path.resolve(import.meta.dirname, '../../dist/rouse.cjs');
const WAIT = { timeout: 60_000, interval: 200 };
async function submit(agent: WorldAgent, prompt: string): Promise<string | undefined> {
  try {
    return (await agent.client.submitPrompt({ prompt })).request_id;
  } catch (error) {
    if (isRouseError(error) && error.code === 'unavailable') return undefined;
    throw error;
  }
}

const times = (agent: WorldAgent, prompt: string): number =>
  agent.received().filter((each) => each === prompt).length;

/** A transcript without room is written a little later. */
async function arrives(agent: WorldAgent, id: string, prompt: string): Promise<number> {
  await expect.poll(() => agent.client.getRequest(id), WAIT).toMatchObject({ state: 'completed' });
  await expect.poll(() => times(agent, prompt), WAIT).toBeGreaterThan(0);
  return times(agent, prompt);
}

describe.each(disksFor(import.meta.filename))('a small disk: $title', ({ kind, reason }) => {
  it.skipIf(reason)('on a full disk gateway and scripted agent go on, say so, and lose nothing', async () => {
    const small = smallDisk(kind, 24);
    const world = new TestWorld({ directory: path.join(small.directory, 'h') });
    onTestFinished(async () => {
      small.empty();
      await world.close();
    });
    const tally = new Tally();
    const agent = await world.agent('ana', ['--turn', '20ms']);
    tally.once('before', await arrives(agent, (await submit(agent, 'before'))!, 'before'));
    small.fill();
    const during = await Promise.all([1, 2, 3].map((n) => submit(agent, `during ${n}`)));
    const refused = during.filter((id) => id === undefined).length;
    expect(refused).toBe(during.length);
    await expect
      .poll(() => agent.client.health(), WAIT)
      .toMatchObject({ status: 'degraded', pid: agent.pid });
    small.empty();
    tally.once('after', await arrives(agent, (await submit(agent, 'after'))!, 'after'));
    for (const n of [1, 2, 3]) expect(times(agent, `during ${n}`)).toBe(0);
    await expect.poll(() => agent.client.health(), WAIT).toMatchObject({ status: 'ok', pid: agent.pid });
    tally.lives('the gateway', agent.pid);
    proofReport(
      `gateway and agent on a full ${kind}: ${refused} of ${during.length} requests refused; ${tally}`,
    );
  });

  it.skipIf(reason)(
    'on a full or read-only disk mail commands say so in a sentence, and work again afterwards',
    () => {
      const small = smallDisk(kind, 6);
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
