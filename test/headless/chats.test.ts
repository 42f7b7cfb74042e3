import * as fs from 'node:fs';
import * as path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { PromptDelivery } from '../../src/terminal/index.ts';
import { HeadlessWorld } from './headless-world.ts';
import { withAgent } from './open-agent.ts';

let world: HeadlessWorld;
beforeAll(async () => {
  world = await HeadlessWorld.open();
});
afterAll(() => world.close());

type Chat = NonNullable<PromptDelivery['chatSession']>;

/** The chat id of each turn in order, as the agent reports it. */
const chatsOf = (session: { records: (type: string) => Record<string, unknown>[] }): unknown[] =>
  session.records('started').map((record) => record['session_id']);

describe('which chat a prompt goes to', () => {
  it('a first prompt begins a chat, the next go on with it, and its id is kept', async () => {
    const session = world.session();
    await withAgent(session, async (agent) => {
      for (const text of ['one', 'two', 'three']) await agent.deliver(text);
      const [first, second, third] = chatsOf(session);
      expect([second, third]).toEqual([first, first]);
      expect(agent.saved).toEqual([
        { sessionId: first, turnIndex: 1, roleBootstrapApplied: false },
        { sessionId: first, turnIndex: 2, roleBootstrapApplied: false },
        { sessionId: first, turnIndex: 3, roleBootstrapApplied: false },
      ]);
      expect(agent.surface.headless?.state().chat_session.current).toEqual({ id: first });
    });
  });

  it('a prompt goes to a new, exact, latest or current chat as asked; the chat used last is the current one', async () => {
    const session = world.session();
    await withAgent(session, async (agent) => {
      const say = (chatSession: Chat) => agent.deliver('x', { chatSession });
      await say({ mode: 'new' });
      await say({ mode: 'new' });
      const [a, b] = chatsOf(session) as [string, string];
      await say({ mode: 'exact', id: a });
      await say({ mode: 'current' });
      await say({ mode: 'exact', id: b });
      await say({ mode: 'tool_last_or_new' });
      await agent.deliver('x');
      expect(chatsOf(session)).toEqual([a, b, a, a, b, b, b]);
      expect(a).not.toBe(b);
    });
  });

  it('the one-shot override makes the next direct prompt begin a new chat, once, and no queued one', async () => {
    const session = world.session();
    await withAgent(session, async (agent) => {
      const { headless } = agent.surface;
      await agent.deliver('x');
      expect(headless?.setNextPromptSession('new').chat_session.next_prompt_override).toEqual({
        mode: 'new',
      });
      await agent.deliver('from the queue');
      await agent.deliver('x', { direct: true, chatSession: { mode: 'current' } });
      expect(headless?.state().chat_session.next_prompt_override).toEqual({ mode: 'new' });
      await agent.deliver('x', { direct: true });
      expect(headless?.state().chat_session.next_prompt_override).toBeNull();
      await agent.deliver('x', { direct: true });
      const [a, queued, explicit, fresh, after] = chatsOf(session);
      expect([queued, explicit]).toEqual([a, a]);
      expect(fresh).not.toBe(a);
      expect(after).toBe(fresh);
    });
  });

  it('a session joined with a chat begins with that one, and a stored chat wins over it', async () => {
    const first = world.session();
    await withAgent(first, (agent) => agent.deliver('x'));
    const [known] = chatsOf(first) as [string];
    const args = ['--session-dir', path.join(first.root, 'chats')];
    const joined = world.session({
      args,
      headless: {
        turn_index: 0,
        role_bootstrap_applied: true,
        resume_selection_kind: 'exact',
        resume_selection_value: known,
      },
    });
    await withAgent(joined, async (agent) => {
      expect(agent.surface.headless?.state().chat_session.startup_default).toEqual({
        mode: 'exact',
        id: known,
      });
      await agent.deliver('x', { chatSession: { mode: 'new' } });
      await agent.deliver('x');
    });
    const [fresh, again] = chatsOf(joined);
    expect([fresh === known, again]).toEqual([false, fresh]);
    const last = world.session({
      args,
      headless: { turn_index: 0, role_bootstrap_applied: true, resume_selection_kind: 'last' },
    });
    await withAgent(last, (agent) => agent.deliver('x'));
    expect(chatsOf(last)).toEqual([fresh]);
  });

  it('a chat keeps the role when a chat goes on, and after another gateway took over', async () => {
    const session = world.session({ rolePrompt: 'You are Ada.' });
    await withAgent(session, async (agent) => {
      await agent.deliver('one');
      await agent.deliver('two');
      expect(agent.facts('request-2', 'turn_finished')['answer']).toContain('Role: You are Ada.');
      session.manifest.headless = {
        session_id: agent.saved[1]!.sessionId,
        turn_index: 2,
        role_bootstrap_applied: true,
      };
    });
    await withAgent(session, async (agent) => {
      await agent.deliver('three');
      expect(agent.facts('request-1', 'turn_finished')['answer']).toMatch(/\(turn 3\) Role: You are Ada\./);
    });
    expect(fs.readdirSync(session.artefacts).sort()).toEqual([
      'current.json',
      'turn-0001',
      'turn-0002',
      'turn-0003',
    ]);
  });

  it('a headless prompt may use another model once', async () => {
    const session = world.session();
    await withAgent(session, async (agent) => {
      await agent.deliver('x', { execution: { model: { name: 'other-model' } } });
      await agent.deliver('x');
      const models = ['turn-0001', 'turn-0002'].map(
        (turn) => JSON.parse(session.read(turn, 'stdout.jsonl').split('\n')[0]!).model,
      );
      expect(models).toEqual(['other-model', 'scripted-1']);
    });
  });

  it('an interrupted first turn that has not worked leaves no chat behind; one that has is gone on with', async () => {
    const session = world.session();
    await withAgent(session, async (agent) => {
      const turn = agent.deliver('[[turn=600s]]');
      await agent.reached('turn_seen');
      await agent.surface.interrupt('i');
      await turn;
      expect(agent.saved).toEqual([]);
      expect(agent.surface.headless?.state().chat_session.current).toBeNull();
    });
    const script = `echo '{"type":"system","session_id":"s-9"}'; echo '{"type":"assistant","message":{"content":"working"}}'; sleep 600`;
    const worker = world.session({
      tool: 'worker',
      executable: '/bin/sh',
      args: ['-c', script],
      shape: {
        prompt: 'stdin',
        role: 'prefix',
        create: ['{args}'],
        exact: ['{args}', '{session}'],
        last: ['{args}'],
      },
    });
    await withAgent(worker, async (agent) => {
      const turn = agent.deliver('x');
      await agent.reached('turn_seen');
      while (!worker.read('turn-0001', 'canonical-events.jsonl').includes('working'))
        await new Promise((resolve) => setTimeout(resolve, 10));
      await agent.surface.interrupt('i');
      expect((await turn).outcome).toBe('cancelled');
      expect(agent.saved).toEqual([{ sessionId: 's-9', turnIndex: 1, roleBootstrapApplied: false }]);
    });
  });
});

describe('what is refused changes nothing', () => {
  it.each<[string, Partial<PromptDelivery>, RegExp]>([
    ['current without a chat', { chatSession: { mode: 'current' } }, /no current chat session/],
    ['exact without an id', { chatSession: { mode: 'exact' } }, /1 to 200 characters/],
    ['an id that is a flag', { chatSession: { mode: 'exact', id: '--continue' } }, /must not begin with "-"/],
    ['a turn id that leaves the directory', { turnId: '../../etc' }, /turn_id must be/],
    ['a turn id that is a file of ours', { turnId: 'current.json' }, /turn_id must be/],
    ['an empty turn id', { turnId: '' }, /turn_id must be/],
    [
      'a reasoning level the tool has no word for',
      { execution: { model: { reasoning: { level: 1 } } } },
      /reasoning level/,
    ],
    ['a model that is a flag', { execution: { model: { name: '--x' } } }, /model\.name/],
  ])('%s', async (_name, change, reason) => {
    const session = world.session();
    await withAgent(session, async (agent) => {
      const result = await agent.deliver('x', change);
      expect(result).toMatchObject({
        outcome: 'refused',
        untouched: true,
        reasons: [expect.stringMatching(reason)],
      });
      expect(agent.ledger).toEqual([]);
      expect(fs.readdirSync(session.artefacts)).toEqual([]);
      expect(agent.surface.observation()).toMatchObject({ ready: true, busy: false });
    });
  });

  it('a headless turn id is used once', async () => {
    await withAgent(world.session(), async (agent) => {
      expect(await agent.deliver('x', { turnId: 'turn-abc' })).toMatchObject({ outcome: 'submitted' });
      expect(await agent.deliver('x', { turnId: 'turn-abc' })).toMatchObject({
        outcome: 'refused',
        untouched: true,
      });
    });
  });

  it('a headless agent refuses keys: it has no terminal', async () => {
    await withAgent(world.session(), async (agent) => {
      const result = await agent.surface.sendKeys({ requestId: 'k', sequence: '<[Enter]>' });
      expect(result).toMatchObject({ outcome: 'refused', untouched: true });
      expect(agent.surface.tui).toBeUndefined();
    });
  });

  it('a reason that is gone at the last moment starts nothing', async () => {
    const session = world.session();
    await withAgent(session, async (agent) => {
      const recheck = async () => ({ go: false as const, reason: 'already read' });
      expect(await agent.deliver('x', { recheck })).toEqual({
        outcome: 'superseded',
        reasons: ['already read'],
        evidence: [],
        untouched: true,
      });
      const broken = async () => Promise.reject(new Error('disk full'));
      expect(await agent.deliver('x', { record: broken })).toMatchObject({
        outcome: 'failed',
        untouched: true,
      });
      expect(session.records()).toEqual([]);
    });
  });

  it('a prompt longer than an argument may be is refused where the tool takes it nowhere else', async () => {
    const session = world.session({
      tool: 'by-argument',
      executable: '/bin/echo',
      shape: {
        prompt: 'argument',
        role: 'prefix',
        create: ['{prompt}'],
        exact: ['{prompt}'],
        last: ['{prompt}'],
      },
    });
    await withAgent(session, async (agent) => {
      const result = await agent.deliver('x'.repeat(300_000));
      expect(result).toMatchObject({
        outcome: 'refused',
        untouched: true,
        reasons: [expect.stringContaining('longer')],
      });
      expect(await agent.deliver('-n $(touch pwned) `x`', { requestId: 'short' })).toMatchObject({
        outcome: 'submitted',
      });
      expect(session.read('turn-0002', 'stdout.jsonl')).toBe('-n $(touch pwned) `x`\n');
    });
  });
});
