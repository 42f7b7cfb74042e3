import * as fs from 'node:fs';
import * as path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { reasonTexts } from '../../src/domain/index.ts';
import { fingerprint } from '../support/scripted-agent.ts';
import { HeadlessWorld } from './headless-world.ts';
import { withAgent } from './open-agent.ts';

let world: HeadlessWorld;
beforeAll(async () => {
  world = await HeadlessWorld.open();
});
afterAll(() => world.close());

describe('a turn', () => {
  it('a turn is one process: typing, typed, submitted, turn seen and turn finished are recorded in this order', async () => {
    const session = world.session();
    await withAgent(session, async (agent) => {
      const result = await agent.deliver('hello', { requestId: 'r1' });
      expect(result).toMatchObject({ outcome: 'submitted', reasons: [], untouched: false });
      expect(agent.stagesOf('r1')).toEqual(['typing', 'typed', 'submitted', 'turn_seen', 'turn_finished']);
      expect(agent.facts('r1', 'submitted')).toMatchObject({
        pid: expect.any(Number),
        start_ticks: expect.any(Number),
        artefacts: path.join(session.artefacts, 'turn-0001'),
      });
      expect(agent.facts('r1', 'turn_finished')).toMatchObject({
        exit_code: 0,
        session_id: expect.any(String),
      });
      expect(session.records('submitted')).toHaveLength(1);
    });
  });

  it('a turn leaves its artefacts, readable by their owner only', async () => {
    const session = world.session();
    await withAgent(session, (agent) => agent.deliver('hello [[say=a good answer]]'));
    const directory = path.join(session.artefacts, 'turn-0001');
    for (const file of [
      'stdout.jsonl',
      'stderr.log',
      'exitcode',
      'process.json',
      'canonical-events.jsonl',
      'prompt.txt',
    ])
      expect([file, fs.statSync(path.join(directory, file)).mode & 0o777]).toEqual([file, 0o600]);
    expect(fs.statSync(directory).mode & 0o777).toBe(0o700);
    expect(session.read('turn-0001', 'exitcode')).toBe('0\n');
    const process = JSON.parse(session.read('turn-0001', 'process.json'));
    expect(process).toMatchObject({ runner_pid: expect.any(Number), child_pid: expect.any(Number) });
    expect(session.records('started')[0]).toMatchObject({ pid: process.child_pid });
    const lines = session.read('turn-0001', 'canonical-events.jsonl').trimEnd().split('\n');
    const events = lines.map((line) => JSON.parse(line));
    expect(events.map((event) => event.kind)).toEqual(['progress', 'assistant', 'completion']);
    expect(events[1]).toMatchObject({
      message: expect.stringContaining('a good answer'),
      turn_index: 1,
      provider: 'scripted',
      provider_event_type: 'assistant',
      session_id: expect.any(String),
      raw_payload: { type: 'assistant' },
    });
    expect(fs.readFileSync(path.join(session.root, 'turns.log'), 'utf8')).toContain(
      'assistant: a good answer',
    );
  });

  it.each([
    ['short', 'x'],
    ['like a flag', '--help\n-x'],
    ['for a shell', `'"$(touch pwned)\`id\`\\ ; rm -rf / \n!ls`],
    ['with control characters', 'a\u001b[201~\u0007\tb\r\nc\u0000d'],
    ['large', `${'漢字 and more \n'.repeat(60_000)}\t end `],
  ])('a turn gives the tool a prompt %s exactly, and in no argument', async (_name, text) => {
    const session = world.session();
    await withAgent(session, async (agent) => {
      expect(await agent.deliver(text)).toMatchObject({ outcome: 'submitted' });
      expect(session.records('submitted')).toMatchObject([fingerprint(text)]);
    });
  });

  it('a turn has the environment it was handed, without the gateway’s own variables', async () => {
    const session = world.session({
      executable: '/usr/bin/env',
      tool: 'env',
      shape: { prompt: 'stdin', role: 'prefix', create: [], exact: [], last: [] },
    });
    const env = {
      PATH: '/usr/bin:/bin',
      SECRET_KEY: 'a secret',
      TMUX: 'x',
      HOUMAO_GATEWAY_EXECUTION_MODE: 'y',
    };
    await withAgent(session, (agent) => agent.deliver('anything'), { env });
    const seen = session.read('turn-0001', 'stdout.jsonl');
    expect(seen).toContain('SECRET_KEY=a secret\n');
    expect(seen).toContain(`HOUMAO_MANIFEST_PATH=${session.root}/manifest.json\n`);
    expect(seen).toContain('HOUMAO_AGENT_ID=id-of-ada\n');
    expect(seen).not.toMatch(/^TMUX|^HOUMAO_GATEWAY/m);
  });

  it('a turn runs in its own process group and session', async () => {
    const session = world.session();
    await withAgent(session, async (agent) => {
      const turn = agent.deliver('[[turn=600s]]');
      await agent.reached('submitted');
      const { pid, runner_pid } = agent.facts('request-1', 'submitted') as {
        pid: number;
        runner_pid: number;
      };
      const [, , group, sid] = fs
        .readFileSync(`/proc/${pid}/stat`, 'utf8')
        .split(') ')[1]!
        .split(' ')
        .map(Number);
      expect([group, sid]).toEqual([runner_pid, runner_pid]);
      await agent.surface.interrupt('i1');
      await turn;
    });
  });
});

describe('how a turn can end', () => {
  it.each([
    ['[[exit=7]]', 'scripted ended with code 7'],
    ['[[crash]]', /scripted ended with code 1: Error: scripted crash/],
    ['[[crash=dirty]]', 'scripted ended with code 137'],
    ['[[fail=overloaded]]', 'scripted ended with code 1,its message: Error: overloaded'],
  ])('%s fails with the code and what the tool complained about', async (text, reason) => {
    const session = world.session();
    await withAgent(session, async (agent) => {
      const result = await agent.deliver(text);
      expect(result).toMatchObject({ outcome: 'failed', untouched: false });
      expect(reasonTexts(result.reasons).join()).toMatch(reason);
      expect(agent.saved.every((progress) => progress.sessionId !== null)).toBe(true);
    });
  });

  const program = (script: string, exact = ['--resume', '{session}']) =>
    world.session({
      tool: 'strange',
      executable: '/bin/sh',
      args: ['-c', script],
      shape: {
        prompt: 'stdin',
        role: 'prefix',
        create: ['{args}'],
        exact: ['{args}', ...exact],
        last: ['{args}'],
      },
    });

  it('a turn without a session id is a failure, though the tool ended well', async () => {
    await withAgent(program('echo \'{"type":"result"}\''), async (agent) => {
      const result = await agent.deliver('x');
      expect(result).toMatchObject({ outcome: 'failed', untouched: false });
      expect(result.reasons[0]).toBe('strange ended well but reported no session id');
    });
  });

  it('a turn needs no session id of a tool that cannot resume by one', async () => {
    await withAgent(program('cat', []), async (agent) => {
      expect(await agent.deliver('just text')).toMatchObject({ outcome: 'submitted' });
      expect(agent.saved).toEqual([]);
    });
  });

  it('a turn passes garbage through: bytes that are no text, half an event, a line of 50 MB', async () => {
    const script = [
      'head -c 3000 /dev/urandom',
      'printf "\\n{\\"half\\": \\n[1,2]\\nnull\\n{}\\n"',
      'head -c 52428800 /dev/zero | tr "\\0" x',
      'printf "\\n{\\"session_id\\":\\"s-1\\",\\"type\\":\\"result\\",\\"result\\":\\"survived\\"}"',
    ].join('; ');
    const session = program(script);
    await withAgent(session, async (agent) => {
      const before = process.memoryUsage().arrayBuffers;
      expect(await agent.deliver('x')).toMatchObject({ outcome: 'submitted' });
      expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(40 * 1024 * 1024);
      expect(agent.saved).toEqual([{ sessionId: 's-1', turnIndex: 1, roleBootstrapApplied: false }]);
      const facts = agent.facts('request-1', 'turn_finished');
      expect(facts['events']).toMatchObject({ completion: 1, diagnostic: 1 });
    });
    expect(session.read('turn-0001', 'canonical-events.jsonl')).toContain(
      'a line of 52428800 bytes is too long',
    );
  });

  it('a turn ends by its timeout: the whole group is ended and the reason recorded', async () => {
    const session = world.session();
    const limits = { timeoutMs: 1500 };
    await withAgent(
      session,
      async (agent) => {
        const result = await agent.deliver('[[turn=600s]]');
        expect(result.outcome).toBe('failed');
        expect(reasonTexts(result.reasons).join()).toMatch('longer than 1.5 s');
        expect(agent.facts('request-1', 'turn_finished')).toMatchObject({
          stopped: 'timeout',
          exit_code: 143,
        });
        expect(agent.surface.observation().ready).toBe(true);
      },
      { limits },
    );
    expect(session.read('turn-0001', 'exitcode')).toBe('143\n');
  });

  it('a turn ends by printing more than is kept', async () => {
    await withAgent(
      program('while :; do echo nothing but noise; done'),
      async (agent) => {
        const result = await agent.deliver('x');
        expect(result).toMatchObject({
          outcome: 'failed',
          reasons: [expect.stringContaining('more than is kept')],
        });
      },
      { limits: { outputBytes: 100_000, graceMs: 200 } },
    );
  });
});

describe('interrupting', () => {
  it('an interrupt of a headless turn ends the turn under way; the prompt is cancelled, the next is taken', async () => {
    const session = world.session();
    await withAgent(session, async (agent) => {
      const turn = agent.deliver('[[turn=600s]]');
      await agent.reached('turn_seen');
      expect(agent.surface.headless?.state()).toMatchObject({
        interruptible: true,
        can_accept_prompt_now: false,
        active_turn_id: 'turn-0001',
      });
      const interrupted = await agent.surface.interrupt('i1');
      expect(interrupted).toMatchObject({
        outcome: 'submitted',
        evidence: [{ facts: { turn_id: 'turn-0001', exit_code: 143 } }],
      });
      expect(await turn).toMatchObject({ outcome: 'cancelled', untouched: false });
      expect(session.records('interrupted')).toHaveLength(1);
      expect(await agent.deliver('next')).toMatchObject({ outcome: 'submitted' });
    });
  });

  it('an interrupt of a headless turn insists with a tool that does not listen, and takes its children along', async () => {
    const session = world.session({
      tool: 'deaf',
      executable: '/bin/sh',
      args: ['-c', 'trap "" TERM; sleep 1000 & echo "{\\"child\\":$!}"; while :; do sleep 1; done'],
      shape: { prompt: 'stdin', role: 'prefix', create: ['{args}'], exact: ['{args}'], last: ['{args}'] },
    });
    await withAgent(
      session,
      async (agent) => {
        const turn = agent.deliver('x');
        await agent.reached('turn_seen');
        const { child } = JSON.parse(session.read('turn-0001', 'stdout.jsonl')) as { child: number };
        expect(fs.existsSync(`/proc/${child}`)).toBe(true);
        await agent.surface.interrupt('i1');
        expect(await turn).toMatchObject({ outcome: 'cancelled' });
        await gone(child);
      },
      { limits: { graceMs: 100 } },
    );
    expect(session.read('turn-0001', 'exitcode')).toBe('137\n');
  });

  it('an interrupt of a headless turn is refused when there is nothing to interrupt', async () => {
    await withAgent(world.session(), async (agent) => {
      expect(await agent.surface.interrupt('i1')).toMatchObject({ outcome: 'refused', untouched: true });
    });
  });

  it('an interrupt of a headless turn is what an aborted delivery does', async () => {
    await withAgent(world.session(), async (agent) => {
      const abort = new AbortController();
      const turn = agent.deliver('[[turn=600s]]', { signal: abort.signal });
      await agent.reached('submitted');
      abort.abort();
      expect(await turn).toMatchObject({ outcome: 'cancelled', untouched: false });
      expect(await agent.deliver('y', { signal: abort.signal })).toMatchObject({
        outcome: 'cancelled',
        untouched: true,
      });
    });
  });
});

/** A killed process without a parent is removed by init at any time. */
async function gone(pid: number): Promise<void> {
  const state = (): string | undefined => {
    try {
      return fs.readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.[0];
    } catch {
      return undefined;
    }
  };
  while (state() !== undefined && state() !== 'Z') await new Promise((resolve) => setTimeout(resolve, 10));
}
