import * as fs from 'node:fs';
import * as path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { turnAccepted, turnView } from '../../src/wire/index.ts';
import { type Json, ServedWorld } from '../fleet/served-world.ts';
import { readTranscript } from '../support/scripted-agent.ts';

let world: ServedWorld;
let agent: Json;
beforeAll(async () => {
  world = await new ServedWorld().open();
  agent = await world.launchHeadless('runner');
});
afterAll(async () => {
  await world.shut();
});

const at = (rest = ''): string => `/agents/runner${rest}`;
const turn = (body: Json): Promise<Json> => world.get('POST', at('/turns'), body);
/** The server holds the call until the turn has ended. */
const ended = (id: string): Promise<Json> =>
  world.until(async () => {
    const seen = await world.get('GET', at(`/turns/${id}?wait_seconds=20`));
    return seen['status'] === 'active' ? undefined : seen;
  });
/** The prompts that the tool itself recorded. */
const received = (): string[] =>
  readTranscript(path.join(agent['session_root'], 'transcript.jsonl'))
    .filter((record) => record.type === 'submitted')
    .map((record) => String(record['text']));

describe('a headless agent of the server', () => {
  it('a headless agent of the server is launched, registered and ready', async () => {
    expect(agent).toMatchObject({ transport: 'headless', backend: 'generic_headless', owner: 'server' });
    expect(await world.get('GET', at('/state'))).toMatchObject({
      availability: 'available',
      observed_by: 'server',
      turn: { phase: 'ready', active_turn_id: null },
    });
  });

  it('a headless agent of the server runs a turn: accepted at once, followed to its end, with what it said', async () => {
    const accepted = await turn({ prompt: 'one [[turn=200ms]] [[say=yes]]' });
    expect(turnAccepted.parse(accepted)).toMatchObject({ status: 'active', turn_index: 1 });
    const done = await ended(accepted['turn_id']);
    expect(turnView.parse(done)).toMatchObject({ status: 'completed', reasons: [] });
    expect(done['stages'].map(({ stage }: Json) => stage)).toEqual([
      'typing',
      'typed',
      'submitted',
      'turn_seen',
      'turn_finished',
    ]);
    const { entries, more } = await world.get('GET', at(`/turns/${done['turn_id']}/events`));
    expect([entries.length > 1, more]).toEqual([true, false]);
    expect(entries.some(({ kind }: Json) => kind === 'assistant')).toBe(true);
    const rest = await world.get('GET', at(`/turns/${done['turn_id']}/events?after=1&limit=1`));
    expect(rest['entries']).toEqual([entries[1]]);
    const { text } = (await world.ask('GET', at(`/turns/${done['turn_id']}/artifacts/stdout`))).body;
    expect(text.split('\n')).toHaveLength(entries.length + 1);
    expect((await world.ask('GET', at(`/turns/${done['turn_id']}/artifacts/stderr`))).status).toBe(200);
  });

  it('a headless agent of the server takes one turn at a time, and interrupts the one under way', async () => {
    const long = await turn({ prompt: 'two [[turn=60s]]' });
    await world.until(async () =>
      (await world.get('GET', at(`/turns/${long['turn_id']}`)))['stages'].some(
        ({ stage }: Json) => stage === 'submitted',
      ),
    );
    const refused = await world.ask('POST', at('/turns'), { prompt: 'three' });
    expect([refused.status, refused.body['error'].facts.active_turn_id]).toEqual([409, long['turn_id']]);
    const ofAnother = await world.ask('POST', at('/interrupt'), { turn_of: 'gwreq-of-another-turn' });
    expect([ofAnother.status, ofAnother.body['error'].message]).toEqual([
      422,
      expect.stringContaining('turn_of'),
    ]);
    expect((await world.get('GET', at(`/turns/${long['turn_id']}`)))['status']).toBe('active');
    expect(await world.get('POST', at('/interrupt'))).toMatchObject({
      disposition: 'accepted',
      headless_turn_id: long['turn_id'],
    });
    expect((await ended(long['turn_id']))['status']).toBe('interrupted');
    expect((await world.get('POST', at('/interrupt')))['disposition']).toBe('no_op');
  });

  it('a headless agent of the server fails with the code and what the tool complained about', async () => {
    const failed = await ended((await turn({ prompt: 'bad [[crash]]' }))['turn_id']);
    expect(failed['status']).toBe('failed');
    expect(failed['reasons'][0]).toContain('ended with code');
  });

  it('a headless agent of the server runs a turn id once: asked for again it is the same turn, with another prompt it is refused', async () => {
    const before = received().length;
    const body = { turn_id: 'mine-1', prompt: 'only once' };
    const [one, two] = await Promise.all([turn(body), turn(body)]);
    expect([one['duplicate'] ?? false, two['duplicate'] ?? false].sort()).toEqual([false, true]);
    await ended('mine-1');
    expect((await turn(body))['status']).toBe('completed');
    const other = await world.ask('POST', at('/turns'), { ...body, prompt: 'something else' });
    expect([other.status, other.body['error'].facts.cause]).toEqual([409, 'turn_id_used']);
    expect(received().length).toBe(before + 1);
  });

  it('a headless agent of the server takes a request as a turn', async () => {
    const said = await world.get('POST', at('/requests'), { request_kind: 'submit_prompt', prompt: 'asked' });
    expect(said).toMatchObject({ disposition: 'accepted', taken_by: 'server' });
    expect((await ended(said['headless_turn_id']))['status']).toBe('completed');
    expect((await world.get('GET', at('/history')))['entries'].at(-1).turn_id).toBe(said['headless_turn_id']);
  });

  it.each([
    ['a turn that never was', 'GET', '/turns/nope', undefined, 404],
    ['a path for a turn', 'GET', '/turns/..%2f..%2fmanifest', undefined, 404],
    ['an artifact there is not', 'GET', '/turns/mine-1/artifacts/manifest', undefined, 404],
    ['no prompt', 'POST', '/turns', {}, 422],
    ['a blank prompt', 'POST', '/turns', { prompt: ' \n' }, 422],
    ['a turn id that is a path', 'POST', '/turns', { prompt: 'x', turn_id: '../x' }, 422],
    ['an unknown field', 'POST', '/turns', { prompt: 'x', force: true }, 422],
    ['a chat that is not there', 'POST', '/turns', { prompt: 'x', chat_session: { mode: 'exact' } }, 422],
    ['keys', 'POST', '/gateway/control/send-keys', { sequence: 'x' }, 503],
    ['a wait longer than allowed', 'GET', '/turns/mine-1?wait_seconds=26', undefined, 422],
  ] as const)('a headless agent of the server refuses %s', async (_, method, rest, body, status) => {
    expect((await world.ask(method, at(rest), body)).status).toBe(status);
  });
});

describe('its gateway', () => {
  const queued = async (prompt: string): Promise<Json> => {
    const { request_id } = await world.get('POST', at('/gateway/requests'), {
      kind: 'submit_prompt',
      payload: { prompt },
    });
    return world.get('GET', at(`/gateway/requests/${request_id}?wait`));
  };

  it('the gateway of a headless agent has the server run what it queues, and writes down every stage the server proved', async () => {
    expect((await world.get('POST', at('/gateway/attach')))['gateway_health']).toBe('healthy');
    const done = await queued('through the gateway');
    expect(done['outcome']).toBe('submitted');
    expect(done['ledger'].map(({ stage }: Json) => stage)).toEqual(
      expect.arrayContaining(['typing', 'typed', 'submitted', 'turn_seen', 'turn_finished']),
    );
    const last = (await world.get('GET', at('/turns')))['turns'].at(-1);
    expect([last.request_id, last.status]).toEqual([done['request_id'], 'completed']);
    expect(received().filter((text) => text === 'through the gateway')).toHaveLength(1);
  });

  it('the gateway of a headless agent that was killed is not passed by: a prompt is refused, and nothing of it is run', async () => {
    const pid = (name: string): number =>
      JSON.parse(fs.readFileSync(path.join(agent['session_root'], 'gateway', 'run', name), 'utf8')).pid;
    const asked = () =>
      world.ask('POST', at('/requests'), { request_kind: 'submit_prompt', prompt: 'passed by' });
    const gateway = pid('current-instance.json');
    for (const each of [pid('keeper.json'), gateway]) process.kill(each, 'SIGKILL');
    await world.until(() => !fs.existsSync(`/proc/${gateway}`));
    const { status, body } = await asked();
    expect([status, body['error'].facts.cause]).toEqual([503, 'gateway_unreachable']);
    expect(body['error'].hint).toContain('"rouse agents gateway attach runner" starts it again');
    expect(received()).not.toContain('passed by');
    // A look at its status clears its record away; it is still the one that was attached.
    await world.rouse(['agents', 'gateway', 'status', '--target-tmux-session', agent['session_name']]);
    expect(fs.existsSync(path.join(agent['session_root'], 'gateway', 'run', 'current-instance.json'))).toBe(
      false,
    );
    expect((await asked()).status).toBe(503);
    expect(received()).not.toContain('passed by');
    expect((await world.get('POST', at('/gateway/attach')))['gateway_health']).toBe('healthy');
  });

  it('the gateway of a headless agent answers a direct prompt with the turn, and shows the state the server has', async () => {
    const said = await world.get('POST', at('/gateway/control/prompt'), { prompt: 'direct' });
    expect(said).toMatchObject({ sent: true, turn_id: expect.any(String) });
    await world.until(async () => {
      const seen = await world.ask('GET', at(`/turns/${said['turn_id']}`));
      return seen.body['status'] === 'completed';
    });
    const state = await world.until(async () => {
      const seen = await world.get('GET', at('/gateway/control/headless/state'));
      return seen['can_accept_prompt_now'] ? seen : undefined;
    });
    expect(state['chat_session'].current).toEqual({ id: expect.any(String) });
  });

  it('the gateway of a headless agent begins a new chat when that was asked for, once', async () => {
    const chat = async (): Promise<string> =>
      (await world.get('GET', at('/gateway/control/headless/state')))['chat_session'].current.id;
    const before = await chat();
    const set = await world.get('POST', at('/gateway/control/headless/next-prompt-session'), { mode: 'new' });
    expect(set['chat_session'].next_prompt_override).toEqual({ mode: 'new' });
    const { turn_id } = await world.get('POST', at('/gateway/control/prompt'), { prompt: 'fresh' });
    await world.until(
      async () => (await world.ask('GET', at(`/turns/${turn_id}`))).body['status'] === 'completed',
    );
    const after = await world.until(async () => {
      const now = await chat();
      return now !== before && now;
    });
    expect(after).not.toBe(before);
  });

  it('the gateway of a headless agent refuses reminders that press keys, and keys', async () => {
    const keys = {
      ...{ mode: 'one_off', title: 't', ranking: 0, paused: false, start_after_seconds: 3600 },
      send_keys: { sequence: '<[Enter]>', ensure_enter: false },
    };
    expect((await world.ask('POST', at('/gateway/reminders'), { reminders: [keys] })).status).toBe(422);
    expect((await world.ask('POST', at('/gateway/control/send-keys'), { sequence: 'x' })).status).toBe(422);
  });

  it('the gateway of a headless agent interrupts through the server', async () => {
    const { turn_id } = await turn({ prompt: 'long [[turn=60s]]' });
    await world.until(async () => {
      const said = await world.ask('POST', at('/gateway/requests'), { kind: 'interrupt', payload: {} });
      return said.status === 200;
    });
    expect((await ended(turn_id))['status']).toBe('interrupted');
  });

  it('the gateway of a headless agent waits while the server is away, and goes on when it is back', async () => {
    const { port } = world.server;
    const status = await world.get('GET', at('/gateway'));
    const direct = `http://127.0.0.1:${status['gateway_port']}`;
    await world.server.stop();
    await world.until(async () => {
      const seen = (await (await fetch(`${direct}/v1/status`)).json()) as Json;
      return seen['managed_agent_connectivity'] === 'unavailable';
    });
    await world.open({ port });
    await world.until(async () => (await world.get('GET', at('/gateway')))['request_admission'] === 'open');
    expect((await queued('after the restart'))['outcome']).toBe('submitted');
  });

  it('the gateway of a headless agent is asked for by the session itself through the server its manifest names', async () => {
    const session = ['--target-tmux-session', agent['tmux_session_name']];
    expect((await world.json('agents', 'gateway', 'status', ...session))['gateway_health']).toBe('healthy');
    expect((await world.json('agents', 'gateway', 'detach', ...session))['gateway_health']).toBe(
      'not_attached',
    );
  });
});

describe('a turn that outlives the server', () => {
  it('a turn that outlives the server is taken over by the next one and found to have ended', async () => {
    const { turn_id } = await turn({ prompt: 'survivor [[turn=4s]]' });
    await world.until(async () =>
      (await world.get('GET', at(`/turns/${turn_id}`)))['stages'].some(
        ({ stage }: Json) => stage === 'submitted',
      ),
    );
    await world.restart();
    expect((await ended(turn_id))['status']).toBe('completed');
    expect(received().filter((text) => text.startsWith('survivor'))).toHaveLength(1);
  });

  it('a turn that outlives the server leaves nothing readable by others and nothing running when the agent is stopped', async () => {
    await turn({ prompt: 'cut short [[turn=60s]]' });
    expect(world.readableByOthers()).toEqual([]);
    expect((await world.get('POST', at('/stop')))['was_running']).toBe(true);
    expect(world.processes().filter(({ words }) => words.includes('scripted'))).toEqual([]);
    expect(fs.existsSync(agent['session_root'])).toBe(true);
    expect((await world.ask('GET', at('/turns'))).status).toBe(404);
  });
});
