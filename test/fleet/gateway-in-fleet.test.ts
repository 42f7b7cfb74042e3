import * as fs from 'node:fs';
import * as path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { thisHost } from '../../src/client/index.ts';
import { defaultAgentId } from '../../src/domain/index.ts';
import { enqueue } from '../../src/fleet/index.ts';
import { attach, findTarget, join, registerWithFleet, relaunch, stop } from '../../src/session/index.ts';
import { startFleet, type TestFleet } from '../support/fleet.ts';
import { TestWorld, type WorldAgent } from '../support/test-world.ts';

/** Real tmux, gateway process and server, and a scripted agent: what is reported to whom, and how often it is typed. */
let world: TestWorld;
let fleet: TestFleet;
/** The agent of the test; no other test uses its name. */
let ana: string;
let tests = 0;
beforeAll(async () => {
  fleet = await startFleet();
});
afterAll(() => fleet.stop());
beforeEach(() => {
  ana = `ana-${++tests}`;
  world = new TestWorld();
  const tokenFile = path.join(world.directory, 'token');
  fs.writeFileSync(tokenFile, fleet.tokens.user, { mode: 0o600 });
  world.fleet = { url: fleet.url, tokenFile };
});
afterEach(() => world.close());

const WAIT = { timeout: 30_000, interval: 50 };
const QUICK = ['--turn', '50ms'];

const known = (name = ana) => fleet.admin.agent(name);
const send = async (text: string) =>
  enqueue(fleet.sql, {
    orgId: fleet.orgId,
    workspaceId: (await known()).workspace_id,
    priority: 50,
    method: 'message/send',
    body: { params: { message: { role: 'user', parts: [{ kind: 'text', text }] } } },
  });
const delivery = async (id: string) =>
  (
    await fleet.sql.query<{ status: string; outcome: string | null; attempts: number }>(
      'SELECT status, outcome, attempts FROM a2a_queue WHERE id = $1::uuid',
      [id],
    )
  ).rows[0];
const turnOf = async (id: string) =>
  (
    await fleet.sql.query<{ turn_state: string | null; turn: object | null }>(
      'SELECT turn_state, turn FROM a2a_queue WHERE id = $1::uuid',
      [id],
    )
  ).rows[0]!;
/** How the agent's gateway sees its place in the fleet. */
const placeOf = async (agent: WorldAgent) => (await agent.client.status()).fleet;

describe('an agent launched with a fleet server', () => {
  it('an agent that a person has paused is reported as paused, keeps a message unsent, and gets it once it is resumed', async () => {
    const agent = await world.agent(ana, QUICK);
    await expect.poll(async () => (await known()).status, WAIT).toBe('online');
    await agent.client.call('pause.begin', { body: {} });
    await expect.poll(async () => (await known()).paused, WAIT).toEqual({ until_utc: null });
    const { id } = await send('later');
    await expect
      .poll(async () => (await agent.client.call('requests.list', { limit: 1 })).requests, WAIT)
      .toMatchObject([{ state: 'accepted', waiting_reason: 'paused until it is resumed' }]);
    expect([agent.received(), (await known()).active_tasks, (await known()).accepting]).toEqual([
      [],
      0,
      true,
    ]);
    await agent.client.call('pause.end', {});
    await expect.poll(() => delivery(id), WAIT).toMatchObject({ status: 'completed', outcome: 'submitted' });
    expect(agent.received()).toEqual(['later']);
    await expect.poll(async () => (await known()).paused, WAIT).toBeNull();
  });

  it('an agent launched with a fleet server registers, is online, is typed a message once, and the server learns how it ended', async () => {
    const agent = await world.agent(ana, QUICK);
    await expect.poll(async () => (await known()).status, WAIT).toBe('online');
    const { id } = await send('hello from another host');
    await expect
      .poll(() => delivery(id), WAIT)
      .toEqual({ status: 'completed', outcome: 'submitted', attempts: 1 });
    expect(agent.received()).toEqual(['hello from another host']);
    await expect.poll(async () => (await known()).active_tasks, WAIT).toBe(0);
    expect((await agent.client.status()).fleet).toMatchObject({ state: 'connected', url: fleet.url });
  });

  it('an agent in a fleet is at work on a message until its turn has ended, and a dialog in between is reported', async () => {
    const agent = await world.agent(ana, ['--turn', '3s']);
    await expect.poll(async () => (await known()).status, WAIT).toBe('online');
    const { id } = await send('take your time [[dialog=permission]]');
    await expect.poll(async () => (await turnOf(id)).turn_state, WAIT).toBe('input_required');
    await agent.control.send('close-dialog');
    await expect.poll(async () => (await turnOf(id)).turn_state, WAIT).toMatch(/^(finished|unproven)$/);
    const next = await send('and again');
    await expect.poll(async () => (await turnOf(next.id)).turn_state, WAIT).toBe('working');
    await expect
      .poll(() => turnOf(next.id), WAIT)
      .toMatchObject({ turn_state: 'finished', turn: { result: 'success', evidence: 'turn' } });
  });

  it('after a gateway is killed during a turn, the next one reports that the message ended, unproven', async () => {
    const agent = await world.agent(ana, ['--turn', '4s']);
    await expect.poll(async () => (await known()).status, WAIT).toBe('online');
    const { id } = await send('take your time');
    await expect.poll(async () => (await turnOf(id)).turn_state, WAIT).toBe('working');
    process.kill(agent.pid, 'SIGKILL');
    await attach(world.context, { kind: 'local', facts: agent.facts }, { mode: 'detached_process' });
    await expect.poll(async () => (await turnOf(id)).turn_state, WAIT).toBe('unproven');
    expect(agent.received()).toEqual(['take your time']);
  });

  it('a message whose tool dies during the turn is lost', async () => {
    const agent = await world.agent(ana, ['--turn', '60s']);
    await expect.poll(async () => (await known()).status, WAIT).toBe('online');
    const { id } = await send('take your time');
    await expect.poll(async () => (await turnOf(id)).turn_state, WAIT).toBe('working');
    await agent.control.send('crash-to-shell').catch(() => {});
    await expect.poll(async () => (await turnOf(id)).turn_state, WAIT).toBe('lost');
  });

  it('an agent launched with a fleet server keeps its token in a file only its owner reads, and speaks as the agent with it', async () => {
    const { facts } = await world.agent(ana, QUICK);
    const file = path.join(facts.root, 'fleet', 'token');
    expect(fs.statSync(file).mode & 0o777).toBe(0o600);
    const own = fleet.as(fs.readFileSync(file, 'utf8').trim());
    await expect(own.call('admin.tokens.list', {})).rejects.toMatchObject({ code: 'forbidden' });
    expect((await own.agent(ana)).session_id).toBe(facts.sessionId);
  });

  it('an agent launched with a fleet server says that it works while it does, and gets the next message when it is done', async () => {
    const agent = await world.agent(ana, QUICK);
    await expect.poll(async () => (await known()).status, WAIT).toBe('online');
    await agent.control.send('busy', { ms: 3000 });
    await expect.poll(async () => (await known()).active_tasks, WAIT).toBe(1);
    const { id } = await send('when you have time');
    expect((await delivery(id))!.status).toBe('queued');
    await expect.poll(async () => (await delivery(id))!.outcome, WAIT).toBe('submitted');
    expect(agent.received()).toEqual(['when you have time']);
  });

  it('an agent launched with a fleet server is offline as soon as it is stopped, and the same agent when it is launched again', async () => {
    const first = await world.agent(ana, QUICK);
    await expect.poll(async () => (await known()).status, WAIT).toBe('online');
    const { workspace_id } = await known();
    await stop(world.context, first.facts);
    expect((await known()).status).toBe('offline');
    const { id } = await send('for the next session');
    const second = await world.agent(ana, QUICK);
    expect(await known()).toMatchObject({ workspace_id, session_id: second.facts.sessionId });
    await expect.poll(async () => (await delivery(id))!.outcome, WAIT).toBe('submitted');
    expect(second.received()).toEqual(['for the next session']);
  });

  it('an agent launched with a fleet server keeps its place when its tool is relaunched', async () => {
    const agent = await world.agent(ana, QUICK);
    await expect.poll(async () => (await known()).status, WAIT).toBe('online');
    await relaunch(world.context, agent.facts);
    await expect.poll(async () => (await known()).status, WAIT).toBe('online');
    expect((await known()).session_id).toBe(agent.facts.sessionId);
  });

  it('an agent launched with a fleet server that another host takes over says who replaced it, and takes its place back only when asked', async () => {
    const agent = await world.agent(ana, QUICK);
    await expect.poll(async () => (await placeOf(agent))?.state, WAIT).toBe('connected');
    const elsewhere = { agent_id: agent.facts.agentId, name: ana, session_id: 'remote', host: 'far-away' };
    await expect(fleet.user.register(elsewhere)).rejects.toMatchObject({ code: 'conflict' });
    const { auth_token } = await fleet.user.register({ ...elsewhere, take_over: true });
    await fleet.as(auth_token).heartbeat({ session_id: 'remote', active_tasks: 0 });
    await expect.poll(async () => (await placeOf(agent))?.state, WAIT).toBe('refused');
    expect((await placeOf(agent))?.detail).toBe('replaced by session remote on host far-away');
    const host = thisHost(world.context.env);
    const again = { ...world.fleet!, host, runtimeDir: world.context.settings.runtimeDir };
    await expect(registerWithFleet(again, agent.facts)).rejects.toMatchObject({ code: 'conflict' });
    await registerWithFleet({ ...again, takeOver: true }, agent.facts);
    expect((await known()).session_id).toBe(agent.facts.sessionId);
    await expect.poll(async () => (await placeOf(agent))?.state, WAIT).toBe('connected');
  });

  it('an agent launched with a fleet server is not started while the same agent beats elsewhere, and leaves nothing', async () => {
    const far = { agent_id: defaultAgentId(ana), name: ana, session_id: 'remote', host: 'far-away' };
    const { auth_token } = await fleet.user.register(far);
    await fleet.as(auth_token).heartbeat({ session_id: 'remote', active_tasks: 0 });
    await expect(world.agent(ana, QUICK)).rejects.toMatchObject({
      code: 'conflict',
      facts: { cause: 'agent_online_elsewhere', host: 'far-away' },
    });
    expect((await known()).session_id).toBe('remote');
  });

  it('an agent launched with a fleet server whose token is revoked says so and stops asking, and works on without the server', async () => {
    const agent = await world.agent(ana, QUICK);
    await expect.poll(async () => (await placeOf(agent))?.state, WAIT).toBe('connected');
    const { tokens } = await fleet.orgAdmin.call('admin.tokens.list', {});
    const { token_id } = tokens.find(({ kind, subject }) => kind === 'agent' && subject === ana)!;
    await fleet.orgAdmin.call('admin.tokens.revoke', { token_id });
    await expect.poll(async () => (await placeOf(agent))?.state, WAIT).toBe('refused');
    expect((await placeOf(agent))?.detail).toContain('the token is not valid');
    expect((await agent.client.submitPrompt({ prompt: 'still works' })).state).toBe('accepted');
    await expect.poll(() => agent.received(), WAIT).toContain('still works');
  });
});

describe('a tool that was started by hand and joined', () => {
  it('a tool started by hand and joined is registered like a launched one, and gets its messages once it has a gateway', async () => {
    const transcript = path.join(world.directory, 'by-hand.jsonl');
    await startByHand('by-hand', ['--transcript', transcript, ...QUICK]);
    const joined = await join(world.context, {
      agentName: ana,
      headless: false,
      cwd: world.workdir,
      tmuxSession: 'by-hand',
    });
    expect(joined.fleet).toEqual({ url: fleet.url, workspaceId: (await known()).workspace_id });
    const { id } = await send('hello you');
    const target = await findTarget(world.context, { agentName: ana });
    await attach(world.context, target, { mode: 'detached_process' });
    await expect.poll(() => delivery(id), WAIT).toMatchObject({ status: 'completed', outcome: 'submitted' });
    expect(fs.readFileSync(transcript, 'utf8')).toContain('hello you');
    await stop(world.context, joined.facts);
    expect((await known()).status).toBe('offline');
  });

  it('a tool started by hand is joined also when the fleet server refuses it, and the refusal is reported', async () => {
    fs.writeFileSync(world.fleet!.tokenFile, 'x'.repeat(43), { mode: 0o600 });
    await startByHand('by-hand', QUICK);
    const { facts, fleetError } = await join(world.context, {
      agentName: ana,
      headless: false,
      cwd: world.workdir,
      tmuxSession: 'by-hand',
    });
    expect(fleetError).toMatchObject({ code: 'unauthorized' });
    await stop(world.context, facts);
  });
});

async function startByHand(session: string, args: string[]): Promise<void> {
  const tool = [
    process.execPath,
    path.resolve(import.meta.dirname, '../../dist/scripted-agent.cjs'),
    ...args,
  ];
  world.tmux('new-session', '-d', '-s', session, '-c', world.workdir, `sh -c '${tool.join(' ')}; exec sh'`);
  await expect.poll(() => world.tmux('capture-pane', '-p', '-t', `=${session}:0`).trim(), WAIT).not.toBe('');
}

describe('a gateway killed with kill -9', () => {
  it('a gateway killed after it stored a message and before it acknowledged it delivers it once', async () => {
    world.gatewayCrashAt = 'fleet.message-stored@1';
    const agent = await world.agent(ana, QUICK);
    world.gatewayCrashAt = undefined;
    await expect.poll(async () => (await known()).status, WAIT).toBe('online');
    const { id } = await send('once');
    await expect.poll(() => alive(agent.pid), WAIT).toBe(false);
    expect((await delivery(id))!.status).toBe('dispatched');
    // Whether the lease expires or the outcome is reported first, the session recognises the message by its id.
    await fleet.sql.query("UPDATE a2a_queue SET lease_until = now() - interval '1 s' WHERE id = $1::uuid", [
      id,
    ]);
    const target = await findTarget(world.context, { agentName: ana });
    await attach(world.context, target, { mode: 'detached_process' });
    await expect.poll(() => delivery(id), WAIT).toMatchObject({ status: 'completed', outcome: 'submitted' });
    expect(agent.received()).toEqual(['once']);
  });
});

function alive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
