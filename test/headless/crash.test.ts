import { type ChildProcess, spawn } from 'node:child_process';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { drawnFor, FULL, sampled } from '../support/sample.ts';
import type { Order, Report } from './gateway-program.ts';
import { type HeadlessSession, HeadlessWorld } from './headless-world.ts';

const RANDOM_KILLS = FULL ? 300 : 4;

let world: HeadlessWorld;
let program: string;
beforeAll(async () => {
  world = await HeadlessWorld.open();
  program = await world.program(path.join(import.meta.dirname, 'gateway-program.ts'));
});
afterAll(() => world.close());

const TEXT = 'do it ⟦rouse:n1⟧ [[turn=100ms]]';

function start(
  session: HeadlessSession,
  change: Partial<Order> = {},
): { child: ChildProcess; said: Promise<string> } {
  const order: Order = {
    manifest: session.manifest,
    sessionRoot: session.root,
    laneLock: session.laneLock,
    ledger: path.join(session.root, 'ledger.jsonl'),
    requestId: 'r1',
    turnId: 'turn-r1',
    text: TEXT,
    ...change,
  };
  const child = spawn(process.execPath, [program, JSON.stringify(order)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const said = new Promise<string>((resolve) => {
    let text = '';
    child.stdout!.on('data', (chunk: Buffer) => (text += chunk.toString()));
    child.on('close', () => resolve(text));
  });
  return { child, said };
}

/** The next gateway, and what the agent itself recorded. */
async function judge(session: HeadlessSession): Promise<Report & { received: number }> {
  const report = JSON.parse(await start(session).said) as Report;
  return { ...report, received: session.records('submitted').length };
}

describe('kill -9 of the gateway', () => {
  const points = [
    ['headless.typing', 'not_submitted'],
    ['headless.prepared', 'not_submitted'],
    ['headless.submitted', 'submitted'],
    ['headless.seen', 'submitted'],
    ['headless.ended', 'submitted'],
    ['headless.saved', 'submitted'],
  ];
  it.each(sampled(import.meta.filename, points, 3))(
    'kill -9 of the gateway at %s: the prompt was %s, and reaches the tool exactly once',
    async (crashAt, verdict) => {
      const session = world.session();
      expect(await start(session, { crashAt }).said).toBe('');
      const { received, ...report } = await judge(session);
      expect([report.verdict, received]).toEqual([verdict, 1]);
      const submitted = session.records('started')[0]?.['session_id'];
      expect(report.saved).toEqual({ sessionId: submitted, turnIndex: 1, roleBootstrapApplied: false });
    },
  );

  it('kill -9 of the gateway just after the process was started: the first one decides, and the prompt is received exactly once', async () => {
    const verdicts = new Set<string>();
    for (let n = 0; n < 6; n++) {
      const session = world.session();
      expect(await start(session, { crashAt: 'headless.spawned' }).said).toBe('');
      const { verdict, received } = await judge(session);
      verdicts.add(verdict);
      expect([verdict, received]).toEqual([verdict, 1]);
    }
    expect([...verdicts].every((verdict) => verdict === 'submitted' || verdict === 'not_submitted')).toBe(
      true,
    );
  });

  it(
    `kill -9 of the gateway at any moment (${RANDOM_KILLS} times): the prompt is received exactly once`,
    async () => {
      const random = drawnFor(import.meta.filename);
      for (let n = 0; n < RANDOM_KILLS; n++) {
        const session = world.session();
        const { child, said } = start(session);
        await appears(path.join(session.root, 'ledger.jsonl'));
        await new Promise((resolve) => setTimeout(resolve, random.next() * 120));
        child.kill('SIGKILL');
        await said;
        const { verdict, received } = await judge(session);
        expect([n, verdict, received]).toEqual([n, expect.stringMatching(/^(not_)?submitted$|^fresh$/), 1]);
      }
    },
    5000 * RANDOM_KILLS,
  );

  it('kill -9 of the gateway twice: an attempt that was made void is never run by its late runner', async () => {
    const session = world.session();
    expect(await start(session, { crashAt: 'headless.prepared' }).said).toBe('');
    expect(await start(session, { crashAt: 'headless.prepared' }).said).toBe('');
    const { verdict, outcome, received } = await judge(session);
    expect({ verdict, outcome, received }).toEqual({
      verdict: 'not_submitted',
      outcome: 'submitted',
      received: 1,
    });
    const attempts = fs
      .readdirSync(path.join(session.artefacts, 'turn-r1'))
      .filter((name) => name.startsWith('attempt-'));
    expect(attempts.map((name) => name.split('.')[1]).sort()).toEqual(['pid', 'started', 'void', 'void']);
  });

  it('kill -9 of the turn itself: the next gateway says that it does not know how it ended', async () => {
    const session = world.session();
    const { child, said } = start(session, { text: 'x [[turn=600s]]' });
    const file = path.join(session.artefacts, 'turn-r1', 'process.json');
    const started = (): number | null =>
      fs.existsSync(file) ? (JSON.parse(fs.readFileSync(file, 'utf8')).child_pid as number | null) : null;
    while (started() === null) await new Promise((resolve) => setTimeout(resolve, 10));
    child.kill('SIGKILL');
    await said;
    process.kill(-JSON.parse(fs.readFileSync(file, 'utf8')).runner_pid, 'SIGKILL');
    const report = await judge(session);
    expect(report).toMatchObject({ verdict: 'submitted', saved: null });
    expect(fs.existsSync(path.join(session.artefacts, 'turn-r1', 'exitcode'))).toBe(false);
  });
});

async function appears(file: string): Promise<void> {
  while (!fs.existsSync(file)) await new Promise((resolve) => setTimeout(resolve, 2));
}
