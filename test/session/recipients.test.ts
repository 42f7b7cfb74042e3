import * as fs from 'node:fs';
import * as path from 'node:path';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { TestMcpClient } from '../mcp/mcp-client.ts';
import { type Ran, ROUSE, TestWorld } from '../support/test-world.ts';

/** Two projects have an ana. ben is of app, and sends over HTTP and MCP. */
let world: TestWorld;
let root: string;
let base: string;
const clients: TestMcpClient[] = [];

const at = (name: string): string => path.join(world.directory, name);

function inProject(name: string, ...args: string[]): Promise<Ran> {
  world.workdir = at(name);
  return world.rouse(['--print-json', ...args], { CAO_PORT: '1' });
}

beforeAll(async () => {
  world = new TestWorld();
  for (const name of ['shop', 'app', 'other/app']) fs.mkdirSync(at(name), { recursive: true });
  fs.writeFileSync(path.join(at('app'), '.rouse.toml'), '[team.cleo]\ntool = "scripted"\n');
  await inProject('app', 'config', 'trust');
  await inProject('shop', 'launch', 'scripted', 'ana');
  await inProject('shop', 'launch', 'scripted', 'cleo');
  expect((await inProject('app', 'launch', 'scripted', 'ana')).json['agent_name']).toBe('app-ana');
  const ben = await inProject('app', 'launch', 'scripted', 'ben', '--wake');
  root = ben.json['session_root'];
  base = `http://127.0.0.1:${ben.json['gateway'].gateway_port}`;
});
afterAll(async () => {
  for (const client of clients) await client.close();
  await world.close();
});

async function subjects(name: string): Promise<string[]> {
  const { json } = await inProject('shop', 'mail', 'list', '--address', `${name}@houmao.localhost`);
  return json['messages'].map(({ subject }: { subject: string }) => subject).sort();
}

/** ben's gateway over HTTP. */
async function post(to: string[], subject: string, cc: string[] = []) {
  const body = JSON.stringify({ schema_version: 1, to, cc, subject, body_content: 'x' });
  const headers = { 'x-rouse': '1', 'content-type': 'application/json' };
  const response = await fetch(`${base}/v1/mail/send`, { method: 'POST', headers, body });
  // biome-ignore lint/suspicious/noExplicitAny: answers of every shape
  return { status: response.status, body: (await response.json()) as any };
}

async function overHttp(): Promise<TestMcpClient> {
  const { url, headers } = JSON.parse(fs.readFileSync(path.join(root, 'launch/mcp.json'), 'utf8')).mcpServers
    .rouse;
  const client = new TestMcpClient();
  clients.push(client);
  return client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
}

async function overStdio(): Promise<TestMcpClient> {
  const client = new TestMcpClient();
  clients.push(client);
  const env = { ...world.env, HOUMAO_MANIFEST_PATH: path.join(root, 'manifest.json') } as Record<
    string,
    string
  >;
  const args = [ROUSE, 'mcp'];
  return client.connect(
    new StdioClientTransport({ command: process.execPath, args, env, cwd: at('shop'), stderr: 'ignore' }),
  );
}

it('over HTTP a bare name is the agent of the sender’s project, and app/ana the one of any', async () => {
  expect((await post(['ana'], 'to mine')).status).toBe(200);
  expect((await post(['shop/ana'], 'to shop', ['app/ana'])).status).toBe(200);
  expect((await post(['ana@houmao.localhost'], 'to an address')).status).toBe(200);
  expect(await subjects('ana')).toEqual(['to an address', 'to shop']);
  expect(await subjects('app-ana')).toEqual(['to mine', 'to shop']);
});

it('a name that no agent has, or whose agent never ran, is refused, and nothing is sent', async () => {
  const never = await post(['ana', 'cleo'], 'never');
  expect([never.status, never.body.error.facts.cause]).toEqual([404, 'not_started']);
  expect(never.body.error.message).toMatch(/agent cleo of project app .* does not run/);
  const unknown = await post(['ana', 'anna'], 'never');
  expect([unknown.status, unknown.body.error.hint]).toMatchObject([
    404,
    expect.stringMatching(/did you mean/),
  ]);
  const elsewhere = await post(['shap/ana'], 'never');
  expect([elsewhere.status, elsewhere.body.error.hint]).toEqual([
    404,
    'did you mean "shop"? "rouse ls" shows all',
  ]);
  expect(await subjects('app-ana')).not.toContain('never');
});

it('over MCP the same names mean the same agents, also while no gateway runs', async () => {
  const http = await overHttp();
  const send = (client: TestMcpClient, to: string, subject: string) =>
    client.call('mail_send', { to: [to], subject, body_content: 'x' });
  expect((await send(http, 'ana', 'mcp to mine')).isError).toBe(false);
  expect((await inProject('app', 'agents', 'gateway', 'detach', '--agent-name', 'ben')).code).toBe(0);
  const stdio = await overStdio();
  expect((await send(stdio, 'ana', 'stdio to mine')).isError).toBe(false);
  expect((await send(stdio, 'shop/ana', 'stdio to shop')).isError).toBe(false);
  const never = await send(stdio, 'cleo', 'never');
  expect([never.isError, never.text]).toEqual([true, expect.stringMatching(/does not run/)]);
  expect(await subjects('app-ana')).toEqual(expect.arrayContaining(['mcp to mine', 'stdio to mine']));
  expect(await subjects('ana')).toContain('stdio to shop');
  const back = ['agents', 'gateway', 'attach', '--agent-name', 'ben'];
  expect((await inProject('app', ...back)).code).toBe(0);
});

it('a stopped agent keeps its mail, and two projects of one name are refused with both paths', async () => {
  expect((await inProject('app', 'stop', 'ana')).code).toBe(0);
  expect((await post(['ana'], 'while away')).status).toBe(200);
  expect(await subjects('app-ana')).toContain('while away');
  expect(await subjects('ana')).not.toContain('while away');
  await inProject('other/app', 'launch', 'scripted', 'eve');
  const both = [fs.realpathSync(at('app')), fs.realpathSync(at('other/app'))];
  const ambiguous = await post(['app/ana'], 'never');
  expect([ambiguous.status, ambiguous.body.error.facts]).toEqual([
    409,
    { cause: 'ambiguous_project', projects: both },
  ]);
  expect(await subjects('app-ana')).not.toContain('never');
});
