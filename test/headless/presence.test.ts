import * as fs from 'node:fs';
import * as path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isProcessAlive, lockFile, systemClock } from '../../src/base/index.ts';
import { readReason } from '../../src/domain/index.ts';
import { endHeadlessTurn } from '../../src/terminal/headless/index.ts';
import { readProcess, turnFiles } from '../../src/terminal/headless/turn/turn-files.ts';
import { HeadlessWorld } from './headless-world.ts';
import { OpenAgent, withAgent } from './open-agent.ts';

let world: HeadlessWorld;
beforeAll(async () => {
  world = await HeadlessWorld.open();
});
afterAll(() => world.close());

describe('a headless surface', () => {
  it('a headless surface is ready while no turn runs, and says which one does', async () => {
    await withAgent(world.session(), async (agent) => {
      expect(agent.surface.observation()).toMatchObject({
        connectivity: 'connected',
        instanceId: expect.stringMatching(/^generic_headless-\d+:generation-1$/),
        eligibility: 'ready',
        ready: true,
        reasons: [],
        busy: false,
      });
      const began = agent.surface.changed.next(({ busy }) => busy);
      const turn = agent.deliver('[[turn=200ms]]', { turnId: 'turn-000000000abc' });
      expect(await began).toMatchObject({
        ready: false,
        eligibility: 'not_ready',
        reasons: [readReason("active_turn_id='turn-000000000abc'")],
      });
      const ended = agent.surface.changed.next(({ busy }) => !busy);
      expect((await turn).outcome).toBe('submitted');
      expect(await ended).toMatchObject({ ready: true });
    });
  });

  it('a headless surface takes one prompt at a time', async () => {
    const session = world.session();
    await withAgent(session, async (agent) => {
      const results = await Promise.all(
        ['a', 'b', 'c'].map((text) => agent.deliver(`${text} [[turn=100ms]]`)),
      );
      expect(results.map(({ outcome }) => outcome).sort()).toEqual(['not_ready', 'not_ready', 'submitted']);
      expect(results.filter(({ untouched }) => untouched)).toHaveLength(2);
      expect(session.records('submitted')).toHaveLength(1);
    });
  });

  it('a headless surface is one lane for all processes', async () => {
    const session = world.session();
    await withAgent(session, async (agent) => {
      const lock = await lockFile(session.laneLock, { timeoutMs: 1000 });
      expect(await agent.deliver('x')).toMatchObject({
        outcome: 'not_ready',
        untouched: true,
        reasons: [expect.stringContaining('holds the lane')],
      });
      lock.release();
      expect(await agent.deliver('x')).toMatchObject({ outcome: 'submitted' });
    });
  });

  it('a headless surface does not start without its tmux session', async () => {
    const session = world.session();
    world.tmux('kill-session', '-t', `=${session.name}`);
    await expect(new OpenAgent(session).surface.start()).rejects.toMatchObject({ code: 'unavailable' });
  });

  it('a headless surface is lost with its tmux session, and its turn is ended', async () => {
    const session = world.session();
    await withAgent(session, async (agent) => {
      const turn = agent.deliver('[[turn=600s]]');
      await agent.reached('submitted');
      const lost = agent.surface.changed.next(({ sessionLost }) => sessionLost);
      world.tmux('kill-session', '-t', `=${session.name}`);
      expect(await lost).toMatchObject({ connectivity: 'unavailable', ready: false });
      expect(await turn).toMatchObject({
        outcome: 'failed',
        reasons: [expect.stringContaining('tmux session ended')],
      });
      expect(await agent.deliver('x')).toMatchObject({ outcome: 'not_ready', untouched: true });
    });
  });

  it('a headless surface outlives a control client that a person detaches', async () => {
    const session = world.session();
    await withAgent(session, async (agent) => {
      world.tmux('detach-client', '-s', `=${session.name}`);
      expect(await agent.deliver('x')).toMatchObject({ outcome: 'submitted' });
      while (!world.tmux('list-clients', '-t', `=${session.name}`))
        await new Promise((resolve) => setTimeout(resolve, 20));
      const lost = agent.surface.changed.next(({ sessionLost }) => sessionLost);
      world.tmux('kill-session', '-t', `=${session.name}`);
      await lost;
    });
  });

  it('a headless surface is unavailable without the tool, and says so', async () => {
    const session = world.session({ tool: 'ghost', executable: 'ghost-agent' });
    await withAgent(session, async (agent) => {
      expect(agent.surface.observation()).toMatchObject({
        connectivity: 'unavailable',
        unavailableReason: '"ghost-agent" is not installed, or not on PATH',
      });
      expect(agent.surface.headless?.state()).toMatchObject({
        runtime_resumable: false,
        can_accept_prompt_now: false,
      });
      expect(await agent.deliver('x')).toMatchObject({ outcome: 'not_ready', untouched: true });
    });
  });

  it('a headless surface fails without its working directory, and starts nothing', async () => {
    const session = world.session();
    fs.rmSync(path.join(session.root, 'work'), { recursive: true });
    await withAgent(session, async (agent) => {
      expect(await agent.deliver('x')).toMatchObject({
        outcome: 'failed',
        untouched: true,
        reasons: [expect.stringContaining('working directory')],
      });
    });
  });

  it('a headless surface lets a running turn go when it is closed, and the next one takes it over', async () => {
    const session = world.session();
    const first = new OpenAgent(session);
    await first.surface.start();
    const turn = first.deliver('[[turn=600s]]', { requestId: 'r1' });
    await first.reached('turn_seen');
    await first.surface.close();
    expect(await turn).toMatchObject({
      outcome: 'submitted',
      reasons: [expect.stringContaining('still running')],
    });
    await withAgent(session, async (agent) => {
      expect(agent.surface.observation()).toMatchObject({ busy: true, ready: false });
      expect(agent.surface.headless?.state().active_turn_id).toBe('turn-0001');
      expect(await agent.deliver('x')).toMatchObject({ outcome: 'not_ready', untouched: true });
      const free = agent.surface.changed.next(({ ready }) => ready);
      expect(await agent.surface.interrupt('i1')).toMatchObject({ outcome: 'submitted' });
      await free;
      expect(session.read('turn-0001', 'exitcode')).toBe('143\n');
      expect(await agent.deliver('x')).toMatchObject({ outcome: 'submitted' });
    });
    expect(session.records('submitted')).toHaveLength(2);
  });

  it('a headless surface finds the result of a turn that ended while no gateway lived', async () => {
    const session = world.session();
    const first = new OpenAgent(session);
    await first.surface.start();
    void first.deliver('[[turn=300ms]] [[say=kept]]', { requestId: 'r1' });
    await first.reached('submitted');
    await first.surface.close();
    while (!fs.existsSync(path.join(session.artefacts, 'turn-0001', 'exitcode')))
      await new Promise((resolve) => setTimeout(resolve, 10));
    await withAgent(session, async (agent) => {
      expect(agent.saved).toEqual([
        { sessionId: expect.any(String), turnIndex: 1, roleBootstrapApplied: false },
      ]);
      expect(agent.surface.observation().ready).toBe(true);
      expect(session.read('turn-0001', 'canonical-events.jsonl')).toContain('kept');
    });
    await withAgent(session, async (agent) => expect(agent.saved).toEqual([]));
  });

  it('a turn that was left running ends with the session that is stopped', async () => {
    const session = world.session();
    const first = new OpenAgent(session);
    await first.surface.start();
    void first.deliver('[[turn=600s]]');
    await first.reached('submitted');
    await first.surface.close();
    const { runner } = readProcess(turnFiles(session.artefacts, 'turn-0001'))!;
    expect(isProcessAlive(runner)).toBe(true);
    const options = { clock: systemClock, graceMs: 2000 };
    expect(await endHeadlessTurn(session.root, options)).toBe('turn-0001');
    expect(isProcessAlive(runner)).toBe(false);
    expect(await endHeadlessTurn(session.root, options)).toBeUndefined();
    expect(await endHeadlessTurn(path.join(session.root, 'nowhere'), options)).toBeUndefined();
  });

  it('a headless surface keeps the artefacts of the newest turns only', async () => {
    const session = world.session({
      tool: 'quick',
      executable: '/bin/cat',
      shape: { prompt: 'stdin', create: [], exact: [], last: [] },
    });
    await withAgent(
      session,
      async (agent) => {
        for (let n = 0; n < 26; n++) await agent.deliver('x');
      },
      { keepTurns: 3 },
    );
    const kept = fs.readdirSync(session.artefacts).filter((name) => name.startsWith('turn-'));
    expect(kept.length).toBeLessThan(26);
    expect(kept).toContain('turn-0026');
    expect(kept).not.toContain('turn-0001');
  });
});
