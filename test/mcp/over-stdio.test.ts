import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { createInterface } from 'node:readline';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Ending } from '../../src/base/index.ts';
import { TicketsClient } from '../../src/client/index.ts';
import { type CliAgent, cliAgent } from '../support/cli-agent.ts';
import { startFleet, type TestAgent, type TestFleet } from '../support/fleet.ts';
import { REQUEST_TOOL_NAMES, TestMcpClient } from './mcp-client.ts';

const ROUSE = path.resolve(import.meta.dirname, '../../dist/rouse.cjs');

describe('rouse mcp', () => {
  const ending = new Ending();
  const each: (() => unknown)[] = [];
  let fleet: TestFleet;
  let ben: TestAgent;
  let agent: CliAgent;

  beforeAll(async () => {
    fleet = await startFleet();
    ending.add(() => fleet.stop());
    const registered = await fleet.agent('gpu');
    ben = await fleet.agent('ben');
    agent = await cliAgent(ending);
    await agent.attach();
    const directory = path.join(agent.sessionRoot, 'fleet');
    fs.mkdirSync(directory, { recursive: true, mode: 0o700 });
    fs.writeFileSync(
      path.join(directory, 'fleet.json'),
      JSON.stringify({ url: fleet.url, workspace_id: registered.workspaceId }),
    );
    fs.writeFileSync(path.join(directory, 'token'), `${registered.token}\n`, { mode: 0o600 });
  });
  afterEach(async () => {
    for (const step of each.splice(0).reverse()) await step();
  });
  afterAll(() => ending.run());

  /** The minimal environment that a tool passes to its MCP servers. */
  const environment = (more: Record<string, string> = {}): Record<string, string> => ({
    PATH: process.env['PATH']!,
    HOME: agent.home,
    HOUMAO_MANIFEST_PATH: path.join(agent.sessionRoot, 'manifest.json'),
    ...more,
  });

  async function start(env = environment(), args: string[] = []): Promise<TestMcpClient> {
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [ROUSE, 'mcp', ...args],
      env,
    });
    const client = await new TestMcpClient().connect(transport);
    each.push(() => client.close());
    return client;
  }

  it('rouse mcp offers requests, mail and reminders over standard input', async () => {
    const names = await (await start()).toolNames();
    expect(names).toEqual(expect.arrayContaining(REQUEST_TOOL_NAMES));
    const mail = ['status', 'list', 'search', 'peek', 'read', 'send', 'reply', 'mark', 'move', 'archive'];
    expect(names).toEqual(expect.arrayContaining(mail.map((name) => `mail_${name}`)));
    expect(names).toEqual(expect.arrayContaining(['list_reminders', 'create_reminder', 'delete_reminder']));
    expect(names).toHaveLength(20);
  });

  it('rouse mcp answers a request as the agent of the session, whatever token its environment was started with', async () => {
    const { request_id: id } = await new TicketsClient(ben.client).create({
      kind: 'task',
      recipient_type: 'agent',
      recipient_id: 'gpu',
      title: 'look',
    });
    const personal = path.join(agent.home, 'personal-token');
    fs.writeFileSync(personal, fleet.tokens.user, { mode: 0o600 });
    const client = await start(environment({ ROUSE_FLEET_URL: fleet.url, ROUSE_FLEET_TOKEN_FILE: personal }));
    expect((await client.call('list_inbox')).json).toMatchObject({
      total_open: 1,
      requests: [{ id, title: 'look' }],
    });
    await client.call('respond_request', { request_id: id, action: 'done', message: 'looked' });
    const { request, messages } = await new TicketsClient(ben.client).get(id);
    expect(request).toMatchObject({ status: 'done', responder_type: 'agent' });
    expect(messages).toMatchObject([{ body: 'looked', closing: true }]);
  });

  it("rouse mcp reads, answers and archives the agent's mail through its gateway", async () => {
    const ref = await agent.mail('hello');
    const client = await start();
    expect((await client.call('mail_status')).json).toMatchObject({ execution_path: 'gateway_backed' });
    const unread = (await client.call('mail_list', { read_state: 'unread' })).json;
    expect(unread.messages).toMatchObject([{ message_ref: ref, subject: 'hello' }]);
    expect((await client.call('mail_read', { message_ref: ref })).json.message).toMatchObject({
      body_text: 'about hello',
    });
    expect((await client.call('mail_reply', { message_ref: ref, body_content: 'hi' })).isError).toBe(false);
    expect((await client.call('mail_archive', { message_refs: [ref] })).isError).toBe(false);
    expect((await client.call('mail_list')).json.messages).toEqual([]);
    const sent = await client.call('mail_send', { to: ['peer@test'], subject: 's', body_content: 'b' });
    expect(sent.json.message).toMatchObject({ subject: 's' });
    expect((await client.call('mail_list', { archived: true })).json).toMatchObject({
      box: 'archive',
      messages: [{ message_ref: ref }],
    });
    const impossible = await client.call('mail_list', { archived: true, box: 'inbox' });
    expect([impossible.isError, impossible.text]).toEqual([true, expect.stringMatching(/archive/)]);
    const cut = (await client.call('mail_search', { text: 'hello', limit: 1 })).json;
    expect(cut).toMatchObject({ message_count: 1, truncated: true });
    const next = { text: 'hello', limit: 1, cursor: cut.next_cursor };
    expect((await client.call('mail_search', next)).json.messages).not.toEqual(cut.messages);
    const project = path.join(agent.sessionRoot, 'project');
    fs.mkdirSync(project);
    const file = path.join(project, 'note.txt');
    fs.writeFileSync(file, 'kept');
    const attach = (attachment: object) =>
      client.call('mail_send', {
        ...{ to: ['peer@test'], subject: 'with a copy', body_content: 'b' },
        attachments: [attachment],
      });
    const kept = [{ kind: 'managed_copy', size_bytes: 4 }];
    const attached = await attach({ path: file, copy: true });
    expect(attached.json.message.attachments).toMatchObject(kept);
    const carried = await attach({
      name: 'note.txt',
      content_base64: Buffer.from('kept').toString('base64'),
    });
    expect(carried.json.message.attachments).toMatchObject(kept);
    const stolen = await attach({ path: path.join(agent.sessionRoot, 'manifest.json'), copy: true });
    expect([stolen.isError, stolen.text]).toEqual([
      true,
      expect.stringMatching(/^forbidden: .*working directory/),
    ]);
    const wrong = await client.call('mail_send', { to: ['nobody@test'], subject: 's', body_content: 'b' });
    expect(wrong.isError).toBe(true);
    expect(wrong.text).toMatch(/nobody@test/);
  });

  it('rouse mcp keeps reminders of the agent itself, behind those that are there', async () => {
    const client = await start();
    const wanted = { title: 'later', prompt: 'look again', start_after_seconds: 3600 };
    const [first] = (await client.call('create_reminder', wanted)).json.reminders;
    const [second] = (await client.call('create_reminder', { ...wanted, interval_seconds: 60 })).json
      .reminders;
    expect(second).toMatchObject({ mode: 'repeat', ranking: expect.any(Number) });
    expect(second.ranking).toBeGreaterThan(first.ranking);
    expect((await client.call('list_reminders')).json.reminders).toHaveLength(2);
    for (const { reminder_id: id } of [first, second])
      await client.call('delete_reminder', { reminder_id: id });
    expect((await client.call('list_reminders')).json.reminders).toEqual([]);
    const none = await client.call('create_reminder', { title: 't', prompt: 'p' });
    expect(none).toMatchObject({
      isError: true,
      text: expect.stringMatching(/^invalid: .*start_after_seconds/),
    });
  });

  it('rouse mcp says what to do when there is no session, no token or no server', async () => {
    const alone = await start({ PATH: process.env['PATH']!, HOME: agent.home });
    const noToken = await alone.call('list_inbox');
    expect(noToken.text).toMatch(
      /^unauthorized: this agent is not registered[\s\S]*hint: launch it with ROUSE_FLEET_URL/,
    );
    expect((await alone.call('mail_status')).text).toMatch(
      /^invalid: no agent was named[\s\S]*hint: name one/,
    );
    const open = path.join(agent.home, 'open-token');
    fs.writeFileSync(open, 'x', { mode: 0o644 });
    fs.chmodSync(open, 0o644);
    const readable = await start({
      PATH: process.env['PATH']!,
      HOME: agent.home,
      ROUSE_FLEET_TOKEN_FILE: open,
    });
    expect((await readable.call('list_inbox')).text).toMatch(/can be read by others[\s\S]*chmod 600/);
    fs.chmodSync(open, 0o600);
    const nobody = await start({
      PATH: process.env['PATH']!,
      HOME: agent.home,
      ROUSE_FLEET_TOKEN_FILE: open,
      ROUSE_FLEET_URL: 'http://127.0.0.1:1',
    });
    expect((await nobody.call('list_inbox')).text).toMatch(/^unavailable: no fleet server is listening/);
  });

  it('rouse mcp writes nothing but protocol to standard output, and ends when its client does', async () => {
    const child = spawn(process.execPath, [ROUSE, 'mcp'], {
      env: environment(),
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    each.push(() => child.kill('SIGKILL'));
    const lines: string[] = [];
    const printed = createInterface({ input: child.stdout });
    printed.on('line', (line) => lines.push(line));
    const answered = once(printed, 'line');
    child.stdin.write('this is not JSON\n');
    const initialize = {
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 't', version: '1' } },
    };
    child.stdin.write(`${JSON.stringify(initialize)}\n`);
    await answered;
    child.stdin.end();
    const [code] = (await once(child, 'close')) as [number];
    expect(code).toBe(0);
    for (const line of lines) expect(JSON.parse(line)).toMatchObject({ jsonrpc: '2.0' });
    expect(lines.length).toBeGreaterThan(0);
  });

  describe('--http', () => {
    async function listening(child: ChildProcess): Promise<string> {
      for await (const line of createInterface({ input: child.stderr! })) {
        const url = /^serving MCP on (\S+?),? /.exec(`${line} `)?.[1];
        if (url) return url;
      }
      throw new Error('it ended before it listened');
    }

    it("`rouse mcp --http` serves the same on loopback to who holds the agent's token, until it is ended", async () => {
      const child = spawn(process.execPath, [ROUSE, 'mcp', '--http', '0'], {
        env: environment(),
        stdio: 'pipe',
      });
      each.push(() => child.kill('SIGKILL'));
      const url = await listening(child);
      const token = fs.readFileSync(path.join(agent.sessionRoot, 'fleet', 'token'), 'utf8').trim();
      const headers = { authorization: `Bearer ${token}` };
      const transport = new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } });
      const client = await new TestMcpClient().connect(transport);
      expect(await client.toolNames()).toHaveLength(20);
      expect((await client.call('mail_status')).isError).toBe(false);
      expect((await client.call('check_requests')).isError).toBe(false);
      await client.close();
      expect(await statusOf(url)).toBe(401);
      child.kill('SIGTERM');
      await once(child, 'close');
    });

    it('`rouse mcp --http` of an agent without a fleet wants the token of its session, from the own account, too', async () => {
      const [fleetFiles, away] = ['fleet', 'fleet-away'].map((name) => path.join(agent.sessionRoot, name));
      fs.renameSync(fleetFiles!, away!);
      each.push(() => fs.renameSync(away!, fleetFiles!));
      const child = spawn(process.execPath, [ROUSE, 'mcp', '--http', '0'], {
        env: environment(),
        stdio: 'pipe',
      });
      each.push(() => child.kill('SIGKILL'));
      const url = await listening(child);
      const file = path.join(agent.sessionRoot, 'mcp', 'token');
      expect(fs.statSync(file).mode & 0o777).toBe(0o600);
      const token = fs.readFileSync(file, 'utf8').trim();
      expect(await statusOf(url)).toBe(401);
      expect(await statusOf(url, 'x'.repeat(token.length))).toBe(401);
      expect(await statusOf(url, token)).toBeLessThan(401);
    });

    const statusOf = async (url: string, token?: string): Promise<number> => {
      const headers = {
        'content-type': 'application/json',
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
      };
      return (await fetch(url, { method: 'POST', headers, body: '{}' })).status;
    };
  });
});
