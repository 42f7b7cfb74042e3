import * as fs from 'node:fs';
import * as path from 'node:path';
import { StreamableHTTPClientTransport, type Transport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Ending } from '../../src/base/index.ts';
import { ensureAgentToken, TicketsClient } from '../../src/client/index.ts';
import { type CliAgent, cliAgent } from '../support/cli-agent.ts';
import { startFleet, type TestAgent, type TestFleet } from '../support/fleet.ts';
import { TestMcpClient } from './mcp-client.ts';

const ROUSE = path.resolve(import.meta.dirname, '../../dist/rouse.cjs');
const ending = new Ending();
let fleet: TestFleet;
let gpu: TestAgent;
let ben: TestAgent;
let agent: CliAgent;
let gatewayPort: number;

beforeAll(async () => {
  fleet = await startFleet();
  ending.add(() => fleet.stop());
  [gpu, ben] = [await fleet.agent('gpu'), await fleet.agent('ben')];
  agent = await cliAgent(ending);
  gatewayPort = (await agent.attach()).gateway.port;
  const directory = path.join(agent.sessionRoot, 'fleet');
  fs.mkdirSync(directory, { recursive: true, mode: 0o700 });
  const membership = { url: fleet.url, workspace_id: gpu.workspaceId };
  fs.writeFileSync(path.join(directory, 'fleet.json'), JSON.stringify(membership));
  fs.writeFileSync(path.join(directory, 'token'), `${gpu.token}\n`, { mode: 0o600 });
});
afterAll(() => ending.run());

const overHttp = (url: string, token: string): Transport =>
  new StreamableHTTPClientTransport(new URL(url), {
    requestInit: { headers: { authorization: `Bearer ${token}` } },
  });

const DOORS: Record<string, () => Transport> = {
  'standard input': () =>
    new StdioClientTransport({
      command: process.execPath,
      args: [ROUSE, 'mcp'],
      env: {
        PATH: process.env['PATH']!,
        HOME: agent.home,
        HOUMAO_MANIFEST_PATH: path.join(agent.sessionRoot, 'manifest.json'),
      },
    }),
  'the gateway': () => overHttp(`http://127.0.0.1:${gatewayPort}/mcp`, ensureAgentToken(agent.sessionRoot)),
  'the fleet server': () => overHttp(`${fleet.url}/mcp`, gpu.token),
};

/** Uses each tool once, correctly; the client checks the results. */
async function useAll(client: TestMcpClient, tools: ReadonlySet<string>): Promise<Set<string>> {
  const used = new Set<string>();
  const use = async (name: string, args: Record<string, unknown> = {}) => {
    if (!tools.has(name)) return {};
    const { isError, text, json } = await client.call(name, args);
    expect([name, isError, text]).toEqual([name, false, text]);
    used.add(name);
    return json;
  };
  const asked = (
    await new TicketsClient(ben.client).create({
      ...{ kind: 'task', recipient_type: 'agent', recipient_id: 'gpu' },
      ...{ title: 'look', detail: 'at everything', priority: 3 },
    } as const)
  ).request_id;
  await use('list_inbox');
  await use('add_request_message', { request_id: asked, body: 'at what?' });
  await use('get_request', { request_id: asked });
  await use('respond_request', { request_id: asked, action: 'done' });
  const made = await use('create_request', {
    ...{ kind: 'approval', recipient_type: 'user', title: 'may I?', detail: 'please' },
  });
  await use('check_requests');
  await use('cancel_request', { request_id: made.request_id });

  const message_ref = await agent.mail('hello');
  for (const name of ['mail_status', 'mail_list']) await use(name);
  await use('mail_search', { text: 'hello' });
  for (const name of ['mail_peek', 'mail_read']) await use(name, { message_ref });
  await use('mail_send', { to: ['peer@test'], subject: 's', body_content: 'b' });
  await use('mail_reply', { message_ref, body_content: 'hi' });
  await use('mail_mark', { message_refs: [message_ref], answered: null, read: true });
  await use('mail_move', { message_refs: [message_ref], destination_box: 'archive' });
  await use('mail_archive', { message_refs: [message_ref] });

  const { reminders = [] } = await use('create_reminder', {
    title: 't',
    prompt: 'p',
    start_after_seconds: 9e5,
  });
  await use('list_reminders');
  await use('delete_reminder', { reminder_id: reminders[0]?.reminder_id });
  return used;
}

it.each(Object.keys(DOORS))('each tool of %s returns what its output schema says', async (door) => {
  const client = await new TestMcpClient().connect(DOORS[door]!());
  try {
    const tools = new Set(await client.toolNames());
    expect(await useAll(client, tools)).toEqual(tools);
  } finally {
    await client.close();
  }
});
