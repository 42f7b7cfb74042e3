import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { silentLog, systemClock } from '../../src/base/index.ts';
import { FleetClient, fleetPath, type GatewayClient, remoteGateway } from '../../src/client/index.ts';
import { type RunningServer, startServer } from '../../src/fleet/index.ts';
import type { HandedCall } from '../../src/wire/index.ts';
import { startFleet, type TestFleet } from '../support/fleet.ts';
import { startPostgres, type TestPostgres } from '../support/postgres.ts';
import { TestWorld } from '../support/test-world.ts';

const WAIT = { timeout: 60_000, interval: 50 };
const home = fs.mkdtempSync(path.join(os.tmpdir(), 'rouse-remote-'));
/** A home without sessions, so that every agent of the fleet is on another host. */
const settings = {
  runtimeDir: path.join(home, 'runtime'),
  mailboxDir: path.join(home, 'mailbox'),
  registryDir: path.join(home, 'registry'),
  tmuxSocket: path.join(home, 'no-tmux'),
};
const agents = { settings, env: { ...process.env, ROUSE_HOME: home, HOME: home } };

let postgres: TestPostgres;
let databaseUrl: string;
let fleet: TestFleet;
let second: RunningServer;
beforeAll(async () => {
  postgres = await startPostgres();
  databaseUrl = await postgres.createDatabase();
  fleet = await startFleet({ config: { databaseUrl, agents } });
  second = await startServer({
    ...{ host: '127.0.0.1', port: 0, databaseUrl, databaseDirectory: path.join(home, 'none') },
    ...{ clock: systemClock, log: silentLog, agents },
  });
});
afterAll(async () => {
  await second.stop();
  await fleet.stop();
  await postgres.stop();
  fs.rmSync(home, { recursive: true, force: true });
});

const through = (client: FleetClient, ref: string): GatewayClient =>
  remoteGateway(client.servers, fleetPath(ref));

/** A gateway with a heartbeat at the second server; it runs each call that it receives once. */
async function farGateway(name: string, does: (call: HandedCall) => { status: number; answer: unknown }) {
  const agent = await fleet.agent(name);
  const client = new FleetClient({ url: `http://127.0.0.1:${second.port}`, token: agent.token });
  const done: HandedCall[] = [];
  let going = true;
  const session_id = `session-of-${name}`;
  const beat = (wait_seconds: number) =>
    client.heartbeat({ session_id, active_tasks: 0, takes_calls: true, wait_seconds }, { timeoutMs: 60_000 });
  await beat(0);
  const loop = (async () => {
    while (going) {
      for (const call of (await beat(1)).calls) {
        done.push(call);
        await client.call('registry.calls.answer', { call_id: call.id, body: does(call) });
      }
    }
  })();
  const stop = async () => {
    going = false;
    await loop;
  };
  return { ...agent, client, done, stop };
}

describe('a call to the gateway of an agent on another host', () => {
  it('a remote call made at one server reaches a gateway with a heartbeat at another, once, and its response comes back unchanged', async () => {
    const far = await farGateway('ana', ({ path }) =>
      path.startsWith('/v1/status')
        ? { status: 200, answer: { gateway_health: 'healthy' } }
        : { status: 409, answer: { detail: 'no' } },
    );
    const gateway = through(fleet.user, 'ana');
    expect(await gateway.status()).toEqual({ gateway_health: 'healthy' });
    await expect(gateway.submitPrompt({ prompt: 'hello' })).rejects.toMatchObject({ message: 'no' });
    expect(far.done.map(({ caller, method, path: asked }) => [caller, method, asked])).toEqual([
      ['user ana', 'GET', '/v1/status'],
      ['user ana', 'POST', '/v1/requests'],
    ]);
    expect(far.done[1]!.body).toEqual({ kind: 'submit_prompt', payload: { prompt: 'hello' } });
    const [{ id } = { id: '' }] = far.done;
    const again = { call_id: id, body: { status: 200, answer: 'another' } };
    expect(await far.client.call('registry.calls.answer', again)).toEqual({ recorded: false });
    const { rows } = await fleet.sql.query(
      'SELECT status, body, answer, taken_by FROM gateway_calls WHERE workspace_id = $1::uuid ORDER BY made_at',
      [far.workspaceId],
    );
    const kept = { body: null, answer: null, taken_by: 'session-of-ana' };
    expect(rows).toEqual([
      { status: 200, ...kept },
      { status: 409, ...kept },
    ]);
    await far.stop();
  });

  it('a remote call that is not on the list, or to an agent of another org, is refused before anything is sent', async () => {
    const far = await farGateway('ben', () => ({ status: 200, answer: {} }));
    await expect(through(fleet.user, 'ben').sendKeys({ sequence: 'rm -rf' })).rejects.toMatchObject({
      code: 'forbidden',
      facts: { cause: 'not_from_afar' },
    });
    const other = await fleet.tenant('other');
    await expect(through(other.user, 'ben').status()).rejects.toMatchObject({ code: 'not_found' });
    const agent = await fleet.agent('nosy');
    await expect(through(agent.client, 'ben').status()).rejects.toMatchObject({ code: 'forbidden' });
    expect(far.done).toEqual([]);
    await far.stop();
  });

  it('a remote call to an agent that is away fails at once with its host; one that its gateway never takes has no effect, then or later', async () => {
    const { auth_token } = await fleet.user.register({
      agent_id: 'cleo',
      name: 'cleo',
      session_id: 's',
      host: 'north',
    });
    const away = {
      code: 'unavailable',
      message: expect.stringMatching(
        /^agent cleo on host north has been provisioning since .*; nothing was done$/,
      ),
      facts: { cause: 'host_away', host: 'north' },
    };
    await expect(through(fleet.user, 'cleo').status()).rejects.toMatchObject(away);
    const old = fleet.as(auth_token);
    await old.heartbeat({ session_id: 's', active_tasks: 0 });
    await expect(through(fleet.user, 'cleo').interrupt()).rejects.toMatchObject({
      code: 'unavailable',
      message: 'the gateway of agent cleo on host north did not take the call; nothing was done',
    });
    const later = await old.heartbeat({ session_id: 's', active_tasks: 0, takes_calls: true });
    expect(later.calls).toEqual([]);
  });
});

describe('a real gateway on another host', () => {
  it('a real gateway on another host runs remote calls through its own routes: status, prompt, request, reminder, mail', async () => {
    const world = new TestWorld();
    try {
      const tokenFile = path.join(world.directory, 'token');
      fs.writeFileSync(tokenFile, fleet.tokens.user, { mode: 0o600 });
      world.fleet = { url: `http://127.0.0.1:${second.port},${fleet.url}`, tokenFile };
      world.workdir = path.join(world.directory, 'project');
      fs.mkdirSync(world.workdir);
      const dan = await world.agent('dan', ['--turn', '50ms']);
      await expect.poll(async () => (await fleet.user.agent('dan')).state, WAIT).toBe('idle');
      const gateway = through(fleet.user, 'dan');
      expect((await gateway.status()).gateway_health).toBe('healthy');
      const accepted = await gateway.submitPrompt(
        { prompt: 'from another host' },
        { idempotency_key: 'once' },
      );
      const again = await gateway.submitPrompt({ prompt: 'from another host' }, { idempotency_key: 'once' });
      expect(again.request_id).toBe(accepted.request_id);
      await expect
        .poll(async () => (await gateway.getRequest(accepted.request_id, true)).outcome, WAIT)
        .toBe('submitted');
      await gateway.call('reminders.create', {
        body: {
          schema_version: 1,
          reminders: [{ mode: 'one_off', title: 't', prompt: 'p', ranking: 0, start_after_seconds: 600 }],
        },
      });
      const keys = { mode: 'one_off', title: 't', ranking: 0, start_after_seconds: 1 } as const;
      const keyed = { ...keys, send_keys: { sequence: 'rm -rf /<[Enter]>' } };
      const refused = { code: 'forbidden', facts: { capability: 'raw_keys' } };
      await expect(
        gateway.call('reminders.create', { body: { schema_version: 1, reminders: [keyed] } }),
      ).rejects.toMatchObject(refused);
      const [made] = (await gateway.reminders()).reminders;
      await expect(
        gateway.call('reminders.put', { reminder_id: made!.reminder_id, body: keyed }),
      ).rejects.toMatchObject(refused);
      expect((await gateway.reminders()).reminders).toMatchObject([{ delivery_kind: 'prompt' }]);
      const note = (attachment: object) =>
        gateway.call('mail.post', { body: { subject: 's', body_content: 'b', attachments: [attachment] } });
      await expect(note({ path: dan.facts.path, copy: true })).rejects.toMatchObject({
        code: 'forbidden',
        facts: { cause: 'path_not_allowed' },
      });
      const own = path.join(dan.facts.workingDirectory, 'own.txt');
      fs.writeFileSync(own, 'own');
      await note({ path: own, copy: true });
      await note({ name: 'a.txt', content_base64: 'b3du' });
      const { messages } = await gateway.call('mail.list', { body: {} });
      expect(messages.map(({ attachments }) => attachments[0]?.size_bytes)).toEqual([3, 3]);
      const events = fs.readFileSync(path.join(dan.root, 'events.jsonl'), 'utf8').trim().split('\n');
      const calls = events.map((line) => JSON.parse(line)).filter(({ kind }) => kind === 'call_from_afar');
      expect(calls).toContainEqual(
        expect.objectContaining({ caller: 'user ana', path: '/v1/status', stage: 'answered', status: 200 }),
      );
    } finally {
      await world.close();
    }
  });
});
