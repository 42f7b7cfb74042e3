import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { thisHost } from '../../src/client/index.ts';
import { startFleet, type TestFleet } from '../support/fleet.ts';

let fleet: TestFleet;
const home = fs.mkdtempSync(path.join(os.tmpdir(), 'rouse-host-'));
beforeAll(async () => {
  fleet = await startFleet();
});
afterAll(async () => {
  await fleet.stop();
  fs.rmSync(home, { recursive: true, force: true });
});

/** An agent that reports itself as a gateway does. */
async function beating(name: string, facts: { host: string; host_id: string; version: string }) {
  const session_id = `session-of-${name}`;
  const { auth_token, workspace_id } = await fleet.user.register({
    agent_id: name,
    name,
    tool: 'claude',
    session_id,
    ...facts,
  });
  const client = fleet.as(auth_token);
  let beats = 0;
  const beat = (more: { state?: 'idle' | 'working' | 'needs_you'; leaving?: boolean; host?: string }) =>
    client.heartbeat({ session_id, instance_id: 'i', beat: ++beats, active_tasks: 0, ...facts, ...more });
  return { workspace_id, beat };
}

describe('a host', () => {
  it('a host keeps its id in its home, whatever it is called, and has its name from the variable or the system', () => {
    const first = thisHost({ ROUSE_HOME: home });
    expect(first).toEqual({ id: expect.stringMatching(/^[0-9a-f-]{36}$/), name: os.hostname() });
    expect(thisHost({ ROUSE_HOME: home, ROUSE_HOST_NAME: ' build-2 ' })).toEqual({
      id: first.id,
      name: 'build-2',
    });
    expect(fs.statSync(path.join(home, 'host-id')).mode & 0o777).toBe(0o600);
    expect(fs.readdirSync(home)).toEqual(['host-id']);
    expect(() => thisHost({ ROUSE_HOME: home, ROUSE_HOST_NAME: 'a\nb' })).toThrow('ROUSE_HOST_NAME');
  });

  it('a host whose id file holds something else is reported, with what to do', () => {
    const other = path.join(home, 'other');
    fs.mkdirSync(other);
    fs.writeFileSync(path.join(other, 'host-id'), 'nonsense\n');
    expect(() => thisHost({ ROUSE_HOME: other })).toThrow('does not contain the id of a host');
  });
});

describe('the list of the fleet', () => {
  it('the list of the fleet has host, tool, state, since and version of each agent, and can be narrowed by them', async () => {
    const ana = await beating('ana', { host: 'north', host_id: 'id-of-north', version: '1.2.3' });
    const ben = await beating('ben', { host: 'south', host_id: 'id-of-south', version: '1.2.4' });
    await ana.beat({ state: 'idle' });
    await ben.beat({ state: 'needs_you' });
    const list = (query: object) => fleet.user.call('registry.agents.list', query);
    const { agents, next_cursor } = await list({});
    expect(next_cursor).toBeNull();
    const facts = agents.map(({ name, host, host_id, tool, state, version }) => [
      ...[name, host, host_id, tool, state, version],
    ]);
    expect(facts).toEqual([
      ['ana', 'north', 'id-of-north', 'claude', 'idle', '1.2.3'],
      ['ben', 'south', 'id-of-south', 'claude', 'needs_you', '1.2.4'],
    ]);
    const names = async (query: object) => (await list(query)).agents.map(({ name }) => name);
    expect(await names({ host: 'north' })).toEqual(['ana']);
    expect(await names({ host: 'id-of-south' })).toEqual(['ben']);
    expect(await names({ state: 'needs_you' })).toEqual(['ben']);
    expect(await names({ tool: 'codex' })).toEqual([]);
    await expect(list({ state: 'bored' })).rejects.toMatchObject({ code: 'invalid' });
  });

  it('the list of the fleet dates a state by the server, from its change on and not from each beat', async () => {
    const cleo = await beating('cleo', { host: 'north', host_id: 'id-of-north', version: '1' });
    const now = async () => {
      const { state, since } = await fleet.user.agent('cleo');
      return { state, since };
    };
    await cleo.beat({ state: 'idle' });
    const idle = await now();
    await cleo.beat({ state: 'idle' });
    expect(await now()).toEqual(idle);
    await cleo.beat({ state: 'working' });
    const working = await now();
    expect(working.state).toBe('working');
    expect(working.since > idle.since).toBe(true);
    await cleo.beat({ leaving: true });
    expect((await now()).state).toBe('offline');
    expect((await now()).since > working.since).toBe(true);
  });

  it('the list of the fleet shows a host under its new name from the next beat on, as the same host', async () => {
    const dan = await beating('dan', { host: 'old', host_id: 'id-of-dan', version: '1' });
    await dan.beat({ state: 'idle', host: 'new' });
    expect(await fleet.user.agent('dan')).toMatchObject({ host: 'new', host_id: 'id-of-dan' });
  });

  it('the list of the fleet keeps the name of a host when a beat brings one that is no name', async () => {
    const eva = await beating('eva', { host: 'build', host_id: 'id-of-eva', version: '1' });
    await eva.beat({ state: 'idle', host: '$(touch /tmp/x)' });
    expect(await fleet.user.agent('eva')).toMatchObject({ host: 'build', state: 'idle' });
  });
});
