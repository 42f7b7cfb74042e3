import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openEmbedded } from '../../src/db/index.ts';
import { serverFiles } from '../../src/fleet/server-files.ts';
import { TEMPLATES } from '../support/fleet.ts';
import { modeFlag } from '../support/gateway-mode.ts';
import { promptsOf } from '../support/scripted-agent.ts';
import { ROOT, TestWorld } from '../support/test-world.ts';

/** Uids without an account; root can start processes with them all the same. */
const GUEST = 61_001;
const OTHER = 61_002;
const isRoot = process.getuid?.() === 0;

/** A home whose commands all run with the same environment. */
class DoorWorld extends TestWorld {
  server: ChildProcess | undefined;
  serverPort = 0;

  async startServer(...flags: string[]): Promise<void> {
    const words = [
      path.join(ROOT, 'dist/rouse.cjs'),
      '--print-json',
      'server',
      'start',
      '--port',
      '0',
      ...flags,
    ];
    const { database } = serverFiles(this.env['ROUSE_HOME']!);
    await (await openEmbedded({ directory: database, templateDirectory: TEMPLATES })).close();
    const child = spawn(process.execPath, words, { env: this.env, stdio: ['ignore', 'pipe', 'ignore'] });
    this.server = child;
    const [line] = (await once(child.stdout, 'data')) as [Buffer];
    this.serverPort = Number(new URL(JSON.parse(String(line)).url as string).port);
  }

  async stopServer(): Promise<void> {
    if (!this.server || this.server.exitCode !== null) return;
    this.server.kill('SIGTERM');
    await once(this.server, 'exit');
  }
}

async function statusOf(url: string, token?: string): Promise<number> {
  const response = await fetch(url, token ? { headers: { authorization: `Bearer ${token}` } } : {});
  await response.arrayBuffer();
  return response.status;
}

/** The same by a process of another account; commands run one by one. */
function statusesAs(uid: number, ...asked: [url: string, token?: string][]): number[] {
  const program = `(async () => { const said = [];
    for (const [url, token] of ${JSON.stringify(asked)})
      said.push((await fetch(url, token ? { headers: { authorization: 'Bearer ' + token } } : {})).status);
    console.log(JSON.stringify(said)); })()`;
  const as = { uid, gid: uid, cwd: '/', env: {}, encoding: 'utf8' } as const;
  return JSON.parse(execFileSync(process.execPath, ['-e', program], as)) as number[];
}

describe('where the kernel cannot be asked who connects', () => {
  const world = new DoorWorld();
  let gateway: string;
  let root: string;
  beforeAll(() => {
    world.env['ROUSE_PEER_CHECK'] = 'token';
  });
  afterAll(async () => {
    await world.stopServer();
    await world.close();
  });

  it('a gateway answers only to those who show its token; the commands of its owner do so by themselves', async () => {
    const launched = await world.json('agents', 'launch', '--tool', 'scripted', '--agent-name', 'gpu');
    await world.json('agents', 'gateway', 'attach', modeFlag('detached_process'), '--agent-name', 'gpu');
    root = path.dirname(launched['manifest_path']);
    const status = await world.json('agents', 'gateway', 'status', '--agent-name', 'gpu');
    gateway = `http://127.0.0.1:${status['gateway_port']}`;
    const file = path.join(root, 'gateway', 'token');
    expect(fs.statSync(file).mode & 0o777).toBe(0o600);
    expect(await statusOf(`${gateway}/v1/status`)).toBe(401);
    expect(await statusOf(`${gateway}/v1/status`, 'x'.repeat(64))).toBe(401);
    expect(await statusOf(`${gateway}/health`)).toBe(200);
    expect(await statusOf(`${gateway}/v1/status`, fs.readFileSync(file, 'utf8').trim())).toBe(200);
    await world.json('agents', 'gateway', 'requests', 'submit', '--agent-name', 'gpu', '--prompt', 'one');
    await world.until(() => promptsOf(root).includes('one'));
  });

  it('the agent is woken for mail with commands, which work; no URL is named that would refuse it', async () => {
    const at = ['--agent-name', 'gpu'];
    await world.json('agents', 'gateway', 'mail-notifier', 'enable', '--interval-seconds', '1', ...at);
    await world.json('agents', 'mail', 'post', '--subject', 'hello', '--body-content', 'text', ...at);
    const wake = await world.until(() => promptsOf(root).find((text) => text !== 'one'));
    expect([wake.includes('agents mail'), wake.includes(gateway)]).toEqual([true, false]);
    expect((await world.json('agents', 'mail', 'list', ...at))['messages']).toHaveLength(1);
    expect((await world.json('agents', 'mail', 'resolve-live', ...at))['gateway']).toBeNull();
  });

  it('a fleet server makes a token for its owner, which --pair-port sends only to that server', async () => {
    await world.startServer();
    const at = `http://127.0.0.1:${world.serverPort}`;
    const pair = ['--pair-port', String(world.serverPort)];
    const file = path.join(world.directory, 'home', 'server', 'owner-token');
    expect(fs.statSync(file).mode & 0o777).toBe(0o600);
    for (const route of ['/ready', '/metrics', '/houmao/agents', '/houmao/server/current-instance'])
      expect([route, await statusOf(at + route)]).toEqual([route, 401]);
    expect(await statusOf(`${at}/health`)).toBe(200);
    expect((await world.json('server', 'status'))['ready']).toBe(true);
    expect((await world.json('agents', 'list', ...pair))['agents']).toHaveLength(1);
    const tool = ['--tool', 'scripted', '--agent-name', 'cao', '--no-mailbox'];
    const served = await world.json('agents', 'launch', ...tool, ...pair);
    await world.json(
      'agents',
      'gateway',
      'attach',
      modeFlag('detached_process'),
      '--agent-name',
      'cao',
      ...pair,
    );
    await world.json(
      ...['agents', 'gateway', 'requests', 'submit', '--prompt', 'two', '--agent-name', 'cao', ...pair],
    );
    await world.until(() => promptsOf(path.dirname(served['manifest_path'])).includes('two'));
    await world.json('agents', 'stop', '--agent-name', 'cao', ...pair);
    await world.stopServer();
    expect(fs.existsSync(file)).toBe(false);
    await world.json('agents', 'stop', '--agent-name', 'gpu');
  });
});

describe('--allow-users', () => {
  const world = new DoorWorld();
  const at = ['--agent-name', 'gpu'];
  const attach = (...flags: string[]): string[] => [
    ...['--print-json', 'agents', 'gateway', 'attach', modeFlag('detached_process'), ...at],
    ...flags,
  ];
  const desired = (root: string): unknown =>
    JSON.parse(fs.readFileSync(path.join(root, 'desired-config.rouse.json'), 'utf8')).desired_allow_users;
  afterAll(async () => {
    await world.stopServer();
    await world.close();
  });

  it('--allow-users names accounts that exist', async () => {
    await world.launch('gpu');
    const server = ['--print-json', 'server', 'start', '--port', '0'];
    for (const words of [attach(), server])
      for (const name of ['no-such-account-here', '-u', '5000000000', 'a b'])
        expect([name, (await world.rouse([...words, `--allow-users=${name}`])).code]).toEqual([name, 2]);
  });

  it('--allow-users is kept by later attaches until it is ended', async () => {
    const first = await world.rouse(attach('--allow-users', `${GUEST}`));
    expect(first.code).toBe(0);
    const root = first.json['gateway_root'] as string;
    expect(desired(root)).toEqual([GUEST]);
    await world.json('agents', 'gateway', 'detach', ...at);
    const again = await world.rouse(attach());
    expect([again.code, desired(root)]).toEqual([0, [GUEST]]);
    const url = `http://127.0.0.1:${again.json['gateway_port']}/v1/status`;
    const token = fs.readFileSync(path.join(root, 'token'), 'utf8').trim();
    expect([await statusOf(url), await statusOf(url, token)]).toEqual([200, 200]);
    if (isRoot) {
      expect(statusesAs(GUEST, [url], [url, token])).toEqual([401, 200]);
      expect(statusesAs(OTHER, [url])).toEqual([403]);
    }
    expect((await world.rouse(attach('--allow-users', ''))).code).toBe(0);
    expect(desired(root)).toBeUndefined();
    await world.json('agents', 'stop', ...at);
  });

  it.skipIf(!isRoot)(
    '--allow-users lets them speak to a fleet server with a token (needs root to become one)',
    async () => {
      await world.startServer('--allow-users', `${GUEST}`);
      const url = `http://127.0.0.1:${world.serverPort}`;
      const token = fs
        .readFileSync(path.join(world.directory, 'home', 'server', 'admin-token'), 'utf8')
        .trim();
      const routes = ['/ready', '/metrics', '/houmao/agents', '/registry/agents'];
      const all = (status: number): number[] => [200, ...routes.map(() => status)];
      const asked = (shown?: string) =>
        ['/health', ...routes].map((route): [string, string?] =>
          shown ? [url + route, shown] : [url + route],
        );
      expect(statusesAs(GUEST, ...asked())).toEqual(all(401));
      expect(statusesAs(GUEST, ...asked(token))).toEqual(all(200));
      expect(statusesAs(OTHER, ...asked())).toEqual(all(403));
    },
  );
});
