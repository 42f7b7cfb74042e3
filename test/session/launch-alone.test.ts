import { spawn } from 'node:child_process';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ROOT, TestWorld } from '../support/test-world.ts';

let world: TestWorld;
beforeAll(() => {
  world = new TestWorld();
});
afterAll(async () => {
  await world.close();
});

const json = (...args: string[]) => world.rouse(['--print-json', ...args]);
const launch = (name: string, ...flags: string[]) =>
  json('agents', 'launch', '--tool', 'scripted', '--agent-name', name, ...flags);
const stop = (name: string) => json('agents', 'stop', '--agent-name', name);
const sessions = () => world.tmux('list-sessions', '-F', '#{session_name}').split('\n').filter(Boolean);

it('three launches of one name at once give one agent, and the others leave nothing', async () => {
  const said = await Promise.all([launch('one'), launch('one'), launch('one')]);
  expect(said.map(({ code }) => code).sort()).toEqual([0, 4, 4]);
  expect(sessions()).toHaveLength(1);
  expect((await json('agents', 'list')).json['agents']).toHaveLength(1);
  const kept = path.join(world.context.settings.runtimeDir, 'sessions', 'local_interactive');
  expect(fs.readdirSync(kept)).toHaveLength(1);
  expect((await json('agents', 'mailbox', 'status', '--agent-name', 'one')).json['activation_state']).toBe(
    'active',
  );
  expect((await stop('one')).code).toBe(0);
});

it.each(['session.launch.before_tmux', 'session.manifest.beside', 'session.manifest.created'])(
  'a launch killed at %s leaves nothing that runs, and its name is free',
  async (point) => {
    const args = ['agents', 'launch', '--tool', 'scripted', '--agent-name', 'killed'];
    const env = { ...world.env, ROUSE_CRASH_AT: point };
    const child = spawn(process.execPath, [path.join(ROOT, 'dist/rouse.cjs'), ...args], {
      cwd: world.workdir,
      env,
      stdio: 'ignore',
    });
    const [, signal] = await new Promise<[number | null, string | null]>((resolve) =>
      child.once('exit', (code, by) => resolve([code, by])),
    );
    expect(signal).toBe('SIGKILL');
    expect(world.processes()).toEqual([]);
    expect((await launch('killed')).code).toBe(0);
    expect((await stop('killed')).code).toBe(0);
  },
);

it('a launch killed before its agent was published is found again, and its name is not given twice', async () => {
  const facts = await world.launch('found');
  const record = path.join(world.context.settings.registryDir, 'live_agents', facts.agentId);
  fs.rmSync(record, { recursive: true });
  const again = await launch('found');
  expect([again.code, again.json['error'].cause]).toEqual([4, 'agent_in_use']);
  expect(sessions()).toHaveLength(1);
  fs.rmSync(record, { recursive: true });
  const { json: list } = await json('agents', 'list');
  expect([list['published_again'], list['agents'].length]).toEqual([[facts.agentId], 1]);
  expect((await stop('found')).code).toBe(0);
});

it('an agent whose lease ran out is found by name as long as its session lives, and is published again', async () => {
  const facts = await world.launch('old');
  const record = path.join(world.context.settings.registryDir, 'live_agents', facts.agentId, 'record.json');
  const content = JSON.parse(fs.readFileSync(record, 'utf8'));
  const ranOut = (): void => {
    const lease = { published_at: '2020-01-01T00:00:00Z', lease_expires_at: '2020-01-02T00:00:00Z' };
    fs.writeFileSync(record, JSON.stringify({ ...content, ...lease }));
  };
  ranOut();
  expect((await json('agents', 'gateway', 'status', '--agent-name', 'old')).code).toBe(0);
  const { lease_expires_at } = JSON.parse(fs.readFileSync(record, 'utf8'));
  expect(Date.parse(lease_expires_at)).toBeGreaterThan(Date.now());
  expect((await json('agents', 'list')).json['published_again']).toEqual([]);
  ranOut();
  world.tmux('kill-session', '-t', `=${facts.tmuxSessionName}`);
  fs.rmSync(record);
});

it('an agent that was lost longer ago than its lease is still shown, comes back by what is named, and can be forgotten', async () => {
  const facts = await world.launch('away');
  const record = path.join(world.context.settings.registryDir, 'live_agents', facts.agentId, 'record.json');
  const ranOut = (): void => {
    const lease = { published_at: '2020-01-01T00:00:00Z', lease_expires_at: '2020-01-02T00:00:00Z' };
    fs.writeFileSync(record, JSON.stringify({ ...JSON.parse(fs.readFileSync(record, 'utf8')), ...lease }));
  };
  const lose = async (): Promise<void> => {
    const { agents } = (await json('agents', 'list')).json as { agents: { tmux_session_name: string }[] };
    world.tmux('kill-session', '-t', `=${agents[0]!.tmux_session_name}`);
    ranOut();
  };
  await lose();
  const [seen] = (await json('ls')).json['agents'];
  expect(seen).toMatchObject({ name: 'away', reason: 'session gone' });
  expect(seen.needs_you).toContain('"rouse agents relaunch away --resume"');
  expect((await json('agents', 'list')).json['agents']).toMatchObject([{ session: 'lost' }]);
  expect((await json('agents', 'gateway', 'status', 'away')).code).toBe(0);
  expect((await json('agents', 'relaunch', 'away', '--resume')).code).toBe(0);
  expect((await json('ls')).json['agents'][0].reason).not.toBe('session gone');
  expect(Date.parse(JSON.parse(fs.readFileSync(record, 'utf8')).lease_expires_at)).toBeGreaterThan(
    Date.now(),
  );
  await lose();
  expect((await stop('away')).code).toBe(0);
  expect((await json('ls')).json['agents']).toEqual([]);
});

it('a registry file that is no record is skipped, counted and does not hide the others', async () => {
  await world.launch('good');
  const bad = path.join(world.context.settings.registryDir, 'live_agents', 'bad');
  fs.mkdirSync(bad, { recursive: true });
  fs.writeFileSync(path.join(bad, 'record.json'), '{"schema_version": 99}');
  const { json: list } = await json('agents', 'list');
  expect([list['agents'].length, list['malformed_records'].length]).toEqual([1, 1]);
  expect((await stop('good')).code).toBe(0);
});

it('a gateway beyond loopback gets a token that only its owner can read, and is asked with it', async () => {
  await world.launch('wide');
  const said = await json(
    'agents',
    'gateway',
    'attach',
    '--background',
    '--gateway-host',
    '0.0.0.0',
    '--agent-name',
    'wide',
  );
  expect([said.code, said.json['gateway_host']]).toEqual([0, '0.0.0.0']);
  const token = path.join(said.json['gateway_root'], 'token');
  expect(fs.statSync(token).mode & 0o777).toBe(0o600);
  const bare = await fetch(`http://127.0.0.1:${said.json['gateway_port']}/v1/status`);
  expect(bare.status).toBe(401);
  expect((await json('agents', 'gateway', 'status', '--agent-name', 'wide')).json['gateway_health']).toBe(
    'healthy',
  );
  expect((await stop('wide')).code).toBe(0);
});

it('a tool that ends leaves a shell in window 0, and relaunch brings it back', async () => {
  const facts = await world.launch('shell', { tool: 'command', args: ['cat'] });
  world.tmux('send-keys', '-t', `=${facts.tmuxSessionName}:0`, 'C-d');
  await world.until(() =>
    world.tmux('capture-pane', '-p', '-t', `=${facts.tmuxSessionName}:0`).includes('ended with code 0'),
  );
  const { json: agent } = await json('agents', 'show', '--agent-name', 'shell');
  expect([agent['session'], agent['process'].tool_running]).toEqual(['running', false]);
  expect((await json('agents', 'relaunch', '--agent-name', 'shell')).code).toBe(0);
  expect((await stop('shell')).code).toBe(0);
  await world.until(() => world.processes().length === 0);
});

it('stop ends a tool that outlives its terminal', async () => {
  const stubborn = 'trap "" HUP TERM; while :; do sleep 1; done';
  await world.launch('stubborn', { tool: 'command', args: ['sh', '-c', stubborn] });
  expect((await stop('stubborn')).code).toBe(0);
  expect(world.processes().filter(({ words }) => words.includes('trap'))).toEqual([]);
});
