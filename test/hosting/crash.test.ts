import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Json, ServedWorld } from '../fleet/served-world.ts';
import { bundle } from '../support/bundle.ts';
import { sampled } from '../support/sample.ts';
import { readTranscript } from '../support/scripted-agent.ts';

const root = path.resolve(import.meta.dirname, '../..');
const built = fs.mkdtempSync(path.join(root, 'node_modules', '.fleet-agents-'));
const program = path.join(built, 'program.mjs');
let world: ServedWorld;
let port = 0;
let server: ChildProcess | undefined;
beforeAll(async () => {
  await bundle(path.join(import.meta.dirname, 'server-program.ts'), program, { packages: 'external' });
  world = new ServedWorld();
});
afterEach(() => kill());
afterAll(async () => {
  await world.close();
  fs.rmSync(built, { recursive: true, force: true });
});

/** A server process on the same port and files each time; with a crash point it kills itself there. */
async function start(crashAt?: string): Promise<void> {
  const config = {
    port,
    settings: world.context.settings,
    env: world.env,
    gatewayProgram: [process.execPath, path.join(root, 'dist/gateway.js')],
  };
  const env = { ...world.env, ...(crashAt && { ROUSE_CRASH_AT: crashAt }) };
  server = spawn(process.execPath, [program, JSON.stringify(config)], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const starting = once(server.stdout!, 'data') as Promise<[Buffer]>;
  const [said] = await Promise.race([starting, once(server, 'exit')]);
  if (Buffer.isBuffer(said)) port = Number(said.toString());
}

async function kill(): Promise<void> {
  const dying = server;
  server = undefined;
  if (!dying || dying.exitCode !== null || dying.signalCode !== null) return;
  const gone = once(dying, 'exit');
  dying.kill('SIGKILL');
  await gone;
}

async function ask(method: string, rest: string, body?: Json): Promise<Json> {
  const response = await fetch(`http://127.0.0.1:${port}/houmao${rest}`, {
    method,
    headers: { 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
  return { http: response.status, ...((await response.json()) as Json) };
}

/** The server dies at the crash point; the caller's connection breaks, or it received the response just before. */
async function askUntilDeath(method: string, rest: string, body: Json): Promise<void> {
  const dying = server!;
  const gone = dying.exitCode === null && dying.signalCode === null ? once(dying, 'exit') : Promise.resolve();
  await ask(method, rest, body).catch(() => undefined);
  await gone;
}

const received = (agent: Json): string[] => {
  const file = path.join(agent['session_root'], 'transcript.jsonl');
  if (!fs.existsSync(file)) return [];
  return readTranscript(file)
    .filter((record) => record.type === 'submitted')
    .map((record) => String(record['text']));
};

const ended = (name: string, id: string): Promise<Json> =>
  world.until(async () => {
    const turn = await ask('GET', `/agents/${name}/turns/${id}?wait_seconds=20`);
    return turn['http'] === 200 && turn['status'] !== 'active' ? turn : undefined;
  });

describe('kill -9 of the server while a turn begins', () => {
  const points = [
    ['fleet.turn.accepted', 'completed'],
    ['headless.prepared', 'completed'],
    ['headless.spawned', 'completed'],
    ['headless.submitted', 'completed'],
    ['headless.ended', 'completed'],
  ];
  it.each(sampled(import.meta.filename, points, 2))(
    'kill -9 of the server at %s: the turn is run once and is %s',
    async (point, status) => {
      const name = `c-${point.replaceAll('.', '-')}`;
      await start(point);
      const agent = await ask('POST', '/agents/headless/launches', world.launchBody(name));
      await askUntilDeath('POST', `/agents/${name}/turns`, {
        turn_id: 'mine',
        prompt: 'once [[turn=300ms]]',
      });
      await start();
      expect((await ended(name, 'mine'))['status']).toBe(status);
      expect(received(agent)).toEqual(['once [[turn=300ms]]']);
      const again = await ask('POST', `/agents/${name}/turns`, {
        turn_id: 'mine',
        prompt: 'once [[turn=300ms]]',
      });
      expect(again).toMatchObject({ http: 200, duplicate: true, status });
      expect((await ask('POST', `/agents/${name}/stop`))['http']).toBe(200);
      expect(received(agent)).toHaveLength(1);
    },
  );

  it('kill -9 of the server twice before a turn could be run: it is not tried a third time, and says that nothing was run', async () => {
    await start('fleet.turn.accepted');
    const agent = await ask('POST', '/agents/headless/launches', world.launchBody('twice'));
    await askUntilDeath('POST', '/agents/twice/turns', { turn_id: 'mine', prompt: 'never' });
    await start('headless.typing');
    await world.until(() => server!.signalCode !== null || server!.exitCode !== null);
    await start();
    expect(await ended('twice', 'mine')).toMatchObject({ status: 'failed', untouched: true });
    expect(received(agent)).toEqual([]);
    const again = await ask('POST', '/agents/twice/turns', { turn_id: 'mine', prompt: 'never' });
    expect(again).toMatchObject({ http: 200, status: 'active' });
    expect((await ended('twice', 'mine'))['status']).toBe('completed');
    expect(received(agent)).toEqual(['never']);
    await ask('POST', '/agents/twice/stop');
  });

  it('kill -9 of the server while a gateway waits for a turn: the request ends once, with the stages the next server proved', async () => {
    await start('headless.prepared');
    const agent = await ask('POST', '/agents/headless/launches', world.launchBody('behind'));
    expect((await ask('POST', '/agents/behind/gateway/attach'))['gateway_health']).toBe('healthy');
    const gateway = `http://127.0.0.1:${(await ask('GET', '/agents/behind/gateway'))['gateway_port']}`;
    const accepted = await fetch(`${gateway}/v1/requests`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ kind: 'submit_prompt', payload: { prompt: 'held on to' } }),
    });
    const { request_id } = (await accepted.json()) as Json;
    await world.until(() => server!.signalCode !== null);
    await start();
    const ended = (await (await fetch(`${gateway}/v1/requests/${request_id}?wait`)).json()) as Json;
    expect(ended['outcome']).toBe('submitted');
    expect(received(agent)).toEqual(['held on to']);
    await ask('POST', '/agents/behind/stop');
  });
});

describe('an agent whose server is gone', () => {
  it('an agent whose server is gone has the status its gateway gives, and can be stopped', async () => {
    await start();
    await ask('POST', '/launches', world.launchBody('orphan'));
    expect((await ask('POST', '/agents/orphan/gateway/attach'))['gateway_health']).toBe('healthy');
    await kill();
    const orphan = ['--agent-name', 'orphan'];
    const status = await world.rouse(['--print-json', 'agents', 'gateway', 'status', ...orphan]);
    expect([status.code, status.json]).toMatchObject([0, { gateway_health: 'healthy' }]);
    const stopped = await world.rouse(['--print-json', 'agents', 'stop', ...orphan, '--kill-session']);
    expect([stopped.code, stopped.json]).toMatchObject([0, { was_running: true }]);
    await world.until(() => world.processes().every(({ words }) => !words.includes('gateway-root')));
  });
});

describe('kill -9 of the server while an agent is launched', () => {
  it('kill -9 of the server before a launched agent is registered: everything is published, no one can attach, and the next server takes it on', async () => {
    await start('fleet.agents.before_register');
    await askUntilDeath('POST', '/launches', world.launchBody('cut'));
    const [session] = world.tmux('list-sessions', '-F', '#{session_name}').split('\n');
    expect(world.tmux('show-environment', '-t', `=${session}`)).toContain('HOUMAO_MANIFEST_PATH=');
    const alone = await world.rouse(
      ['--print-json', 'agents', 'gateway', 'attach', '--target-tmux-session', session!],
      { CAO_PORT: '1' },
    );
    expect([alone.code, alone.json['error'].cause]).toEqual([7, 'pair_unreachable']);
    await start();
    expect(await ask('GET', '/agents/cut')).toMatchObject({
      http: 200,
      owner: 'server',
      session_name: session,
    });
    expect((await ask('POST', '/agents/cut/stop'))['was_running']).toBe(true);
  });
});
