import * as fs from 'node:fs';
import * as net from 'node:net';
import * as path from 'node:path';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { TestWorld } from '../support/test-world.ts';
import { TestMcpClient } from './mcp-client.ts';

interface Launched {
  root: string;
  port: number;
  mcp: { door: string | null; server: string | null };
  // biome-ignore lint/suspicious/noExplicitAny: a manifest
  manifest: any;
}

describe('a launched agent', () => {
  const clients: TestMcpClient[] = [];
  let world: TestWorld;
  beforeAll(() => {
    world = new TestWorld();
  });
  afterEach(async () => {
    for (const client of clients.splice(0)) await client.close();
  });
  afterAll(() => world.close());

  async function launch(name: string, ...flags: string[]): Promise<Launched> {
    const { json, code, stderr } = await world.rouse([
      ...['agents', 'launch', '--tool', 'scripted', '--agent-name', name, '--print-json', ...flags],
    ]);
    expect([code, stderr]).toEqual([0, expect.anything()]);
    const manifest = JSON.parse(fs.readFileSync(json['manifest_path'], 'utf8'));
    return { root: json['session_root'], port: json['gateway']?.gateway_port, mcp: json['mcp'], manifest };
  }
  const withGateway = (name: string, ...flags: string[]): Promise<Launched> =>
    launch(name, '--gateway-auto-attach', '--gateway-background', ...flags);
  const entryIn = (root: string) =>
    JSON.parse(fs.readFileSync(path.join(root, 'launch', 'mcp.json'), 'utf8')).mcpServers.rouse;
  const tokenOf = (root: string): string => fs.readFileSync(path.join(root, 'mcp', 'token'), 'utf8').trim();

  async function connect(url: string, headers: Record<string, string>): Promise<TestMcpClient> {
    const client = new TestMcpClient();
    clients.push(client);
    return client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
  }

  it('a launched agent is served by its gateway with what its file says, and goes on after a restart and a relaunch', async () => {
    const { root, port, mcp, manifest } = await withGateway('ana');
    expect(mcp).toMatchObject({ door: 'http', server: 'rouse' });
    expect(manifest.launch_plan.metadata.rouse).toMatchObject({ mcp_door: 'http', mcp_server: 'rouse' });
    expect(JSON.stringify(manifest)).not.toContain(tokenOf(root));
    for (const file of ['mcp/token', 'launch/mcp.json'])
      expect(fs.statSync(path.join(root, file)).mode & 0o777, file).toBe(0o600);
    const { url, headers } = entryIn(root);
    expect(url).toBe(`http://127.0.0.1:${port}/mcp`);
    const client = await connect(url, headers);
    expect((await client.call('mail_status')).json).toMatchObject({ address: 'ana@houmao.localhost' });
    const to = { to: ['ana@houmao.localhost'], subject: 'to myself', body_content: 'b' };
    expect((await client.call('mail_send', to)).isError).toBe(false);
    expect((await client.call('mail_list')).json.messages).toMatchObject([{ subject: 'to myself' }]);

    expect((await world.rouse(['agents', 'gateway', 'detach', '--agent-name', 'ana'])).code).toBe(0);
    await expect(client.call('mail_list')).rejects.toThrow();
    const again = ['agents', 'gateway', 'attach', '--background', '--agent-name', 'ana', '--print-json'];
    expect((await world.rouse(again)).json).toMatchObject({ gateway_port: port });
    expect((await client.call('mail_list')).json.messages).toHaveLength(1);

    expect((await world.rouse(['agents', 'relaunch', '--agent-name', 'ana'])).code).toBe(0);
    expect(entryIn(root)).toMatchObject({ url, headers });
    expect((await client.call('mail_list')).json.messages).toHaveLength(1);
    const shown = await world.rouse(['agents', 'show', '--agent-name', 'ana', '--print-json']);
    expect(shown.json['mcp']).toMatchObject({ door: 'http', url });
  });

  it("a launched agent is not served with another agent's token, nor with none", async () => {
    const [first, second] = [await withGateway('bea'), await withGateway('cid')];
    const { url } = entryIn(first.root);
    const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
    await expect(connect(url, bearer(tokenOf(second.root)))).rejects.toThrow();
    await expect(connect(url, {})).rejects.toThrow();
    expect(await (await connect(url, bearer(tokenOf(first.root)))).toolNames()).toContain('mail_list');
  });

  it('a launched agent starts a program when it has no gateway, which works on the mailbox itself, and through one later', async () => {
    const { root, mcp } = await launch('dan');
    expect(mcp).toMatchObject({ door: 'stdio' });
    const { command, args, env } = entryIn(root);
    const start = async (): Promise<TestMcpClient> => {
      const client = new TestMcpClient();
      clients.push(client);
      const given = { PATH: process.env['PATH']!, HOME: world.directory, ...env };
      return client.connect(new StdioClientTransport({ command, args, env: given }));
    };
    const alone = await start();
    expect(await alone.toolNames()).not.toContain('create_reminder');
    expect((await alone.call('mail_status')).json).toMatchObject({ execution_path: 'manager_direct' });
    const attach = ['agents', 'gateway', 'attach', '--background', '--agent-name', 'dan'];
    expect((await world.rouse(attach)).code).toBe(0);
    expect((await alone.call('mail_status')).json).toMatchObject({ execution_path: 'gateway_backed' });
    expect(await (await start()).toolNames()).toContain('create_reminder');
    expect((await world.rouse(['agents', 'relaunch', '--agent-name', 'dan'])).code).toBe(0);
    expect(entryIn(root)).toMatchObject({ type: 'http' });
  });

  it('a launched agent starts a program when its gateway cannot listen, and is launched all the same', async () => {
    const taken = net.createServer().listen(0, '127.0.0.1');
    try {
      await new Promise((resolve) => taken.once('listening', resolve));
      const { port } = taken.address() as net.AddressInfo;
      const flags = ['--gateway-auto-attach', '--gateway-background', '--gateway-port', String(port)];
      const { json, code } = await world.rouse([
        ...['agents', 'launch', '--tool', 'scripted', '--agent-name', 'eva', '--print-json', ...flags],
      ]);
      expect(code).not.toBe(0);
      expect(json).toMatchObject({ mcp: { door: 'stdio' }, gateway: null, tool_pid: expect.any(Number) });
      expect(entryIn(json['session_root'])).toHaveProperty('command');
    } finally {
      taken.close();
    }
  });

  it('a launched agent needs a person when its gateway had to take another port, until it is relaunched', async () => {
    const { port } = await withGateway('gus', '--wake');
    const about = (...words: string[]) =>
      world.rouse(['agents', ...words, '--agent-name', 'gus', '--print-json']);
    const asked = async (): Promise<string | null> => {
      const { json } = await world.rouse(['ls', '--json']);
      return json['agents'].find((agent: { name: string }) => agent.name === 'gus').needs_you;
    };
    const leads = async () => (await about('gateway', 'mail-notifier', 'preview')).json['leads_with'];
    expect(await leads()).toBe('tools');
    expect((await about('gateway', 'detach')).code).toBe(0);
    const taken = net.createServer().listen(port, '127.0.0.1');
    try {
      await new Promise((resolve) => taken.once('listening', resolve));
      const { json } = await about('gateway', 'attach', '--background');
      expect(json['gateway_port']).not.toBe(port);
      await world.until(async () =>
        /another port.*"rouse agents relaunch gus --resume"/.test((await asked()) ?? ''),
      );
      expect((await world.rouse(['doctor'])).stdout).toMatch(/gus.*needs you: .*another port/);
      expect(await leads()).not.toBe('tools');
      expect((await about('relaunch')).code).toBe(0);
      await world.until(async () => (await asked()) === null);
      expect(await leads()).toBe('tools');
    } finally {
      taken.close();
    }
  });

  it('a launched agent gets none when none are wanted', async () => {
    const { root, mcp, manifest } = await withGateway('fay', '--no-mcp');
    expect(mcp).toBeNull();
    expect(fs.existsSync(path.join(root, 'launch', 'mcp.json'))).toBe(false);
    expect(JSON.stringify(manifest)).not.toContain('mcp_door');
    const both = [
      'agents',
      'launch',
      '--tool',
      'scripted',
      '--agent-name',
      'gil',
      '--no-mcp',
      '--ask-permission',
    ];
    expect((await world.rouse(both)).code).toBe(2);
  });
});
