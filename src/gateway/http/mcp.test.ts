import * as fs from 'node:fs';
import * as http from 'node:http';
import * as path from 'node:path';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { TestMcpClient } from '../../../test/mcp/mcp-client.ts';
import { Ending } from '../../base/index.ts';
import { agentTokenFile, ensureAgentToken } from '../../client/index.ts';
import { type TestGateway, testGateway } from '../testing.ts';

const ending = new Ending();
const clients: TestMcpClient[] = [];
let on: TestGateway;
let token: string;

beforeAll(async () => {
  on = await testGateway(ending);
  token = ensureAgentToken(on.root);
});
afterEach(async () => {
  for (const client of clients.splice(0)) await client.close();
});
afterAll(() => ending.run());

async function as(bearer: string | undefined, port = on.gateway.port): Promise<TestMcpClient> {
  const headers: Record<string, string> = bearer === undefined ? {} : { authorization: `Bearer ${bearer}` };
  const client = new TestMcpClient();
  clients.push(client);
  return client.connect(
    new StreamableHTTPClientTransport(new URL(`http://127.0.0.1:${port}/mcp`), { requestInit: { headers } }),
  );
}

const LIST = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} };

function post(headers: http.OutgoingHttpHeaders, body: unknown = LIST, method = 'POST'): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const request = http.request({
      host: '127.0.0.1',
      port: on.gateway.port,
      path: '/mcp',
      method,
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...headers,
      },
    });
    request.on('error', reject).on('response', (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => {
        text += part;
      });
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text }),
      );
    });
    if (headers['content-length'] !== undefined) return request.flushHeaders();
    request.end(body === '' ? undefined : JSON.stringify(body));
  });
}

interface Answer {
  status: number;
  headers: http.IncomingHttpHeaders;
  text: string;
}

const mine = (): http.OutgoingHttpHeaders => ({ authorization: `Bearer ${token}` });

describe("a gateway's own MCP tools", () => {
  it("a gateway's MCP tools are mail and reminders, with true annotations", async () => {
    const { tools } = await (await as(token)).client.listTools();
    expect(tools.map(({ name }) => name).filter((name) => !name.startsWith('mail_'))).toEqual([
      'list_reminders',
      'create_reminder',
      'delete_reminder',
    ]);
    const hinted = (hint: 'readOnlyHint' | 'destructiveHint'): string[] =>
      tools.filter((each) => each.annotations?.[hint]).map(({ name }) => name);
    expect(hinted('readOnlyHint')).toEqual([
      'mail_status',
      'mail_list',
      'mail_search',
      'mail_peek',
      'list_reminders',
    ]);
    expect(hinted('destructiveHint')).toEqual(['delete_reminder']);
  });

  it("a gateway's MCP tools read, answer and archive the agent's mail, and keep its reminders", async () => {
    const { message } = await on.mail.mailbox('agent@test').post({ subject: 'hello', body_content: 'b' });
    const ref = message.message_ref;
    const client = await as(token);
    expect((await client.call('mail_list')).json.messages).toMatchObject([{ message_ref: ref }]);
    expect((await client.call('mail_read', { message_ref: ref })).json.message).toMatchObject({
      subject: 'hello',
    });
    expect((await client.call('mail_archive', { message_refs: [ref] })).isError).toBe(false);
    expect((await client.call('mail_list')).json.messages).toEqual([]);
    expect((await client.call('mail_status')).json).toMatchObject({ address: 'agent@test' });
    const later = { title: 't', prompt: 'p', start_after_seconds: 3600 };
    const [made] = (await client.call('create_reminder', later)).json.reminders;
    expect((await client.call('list_reminders')).json.reminders).toMatchObject([
      { reminder_id: made.reminder_id, prompt: 'p' },
    ]);
    expect((await client.call('delete_reminder', { reminder_id: made.reminder_id })).isError).toBe(false);
    expect((await client.call('create_reminder', { title: 't', prompt: 'p' })).text).toMatch(/^invalid: /);
  });

  it("a gateway's MCP tools refuse other tokens and callers without one", async () => {
    for (const wrong of [undefined, 'f'.repeat(64), `${token}0`, '']) {
      await expect(as(wrong)).rejects.toThrow();
      const { status, text } = await post(wrong === undefined ? {} : { authorization: `Bearer ${wrong}` });
      expect([status, JSON.parse(text).error.code]).toEqual([401, 'unauthorized']);
    }
    expect(fs.statSync(agentTokenFile(on.root)).mode & 0o777).toBe(0o600);
  });

  it("a gateway's MCP tools refuse a page of another origin and another host name", async () => {
    expect((await post({ ...mine(), host: 'evil.example' })).status).toBe(403);
    expect((await post({ ...mine(), origin: 'https://evil.example' })).status).toBe(403);
    expect((await post({ ...mine(), 'content-type': 'text/plain' })).status).toBe(415);
  });

  it("a gateway's MCP tools have no sessions: nothing to keep, nothing to stream", async () => {
    const { status, headers, text } = await post(mine());
    expect(status).toBe(200);
    expect(headers['mcp-session-id']).toBeUndefined();
    expect(headers.connection).toBe('close');
    expect(text).toContain('mail_list');
    expect((await post({ ...mine(), 'mcp-session-id': 'of another process' })).status).toBe(200);
    expect((await post(mine(), '', 'GET')).status).toBe(405);
    expect((await post({ ...mine(), 'transfer-encoding': 'chunked' }, LIST, 'GET')).status).toBe(405);
    expect((await post({ ...mine(), 'content-length': 20_000_000 })).status).toBe(413);
    const { client } = await as(token);
    expect(client.getServerCapabilities()?.tools).toEqual({ listChanged: false });
  });

  it("a gateway's MCP tools work on after a restart for a client that did not notice it", async () => {
    const own = new Ending();
    try {
      const first = await testGateway(own);
      const bearer = ensureAgentToken(first.root);
      const port = first.gateway.port;
      const client = await as(bearer, port);
      expect((await client.call('mail_list')).isError).toBe(false);
      await first.gateway.stop('restart');
      await testGateway(own, { root: first.root, mail: first.mail, config: { port } });
      expect((await client.call('mail_list')).isError).toBe(false);
    } finally {
      await own.run();
    }
  });

  it("a gateway's MCP tools have the reminders in a session without a mailbox", async () => {
    const own = new Ending();
    try {
      const { root, gateway } = await testGateway(own, { config: { mailboxBinding: () => null } });
      const names = await (await as(ensureAgentToken(root), gateway.port)).toolNames();
      expect(names).toEqual(['create_reminder', 'delete_reminder', 'list_reminders']);
    } finally {
      await own.run();
    }
  });

  it("a gateway's MCP tools have the mail when the fleet file is damaged", async () => {
    fs.mkdirSync(path.join(on.root, 'fleet'), { recursive: true });
    fs.writeFileSync(path.join(on.root, 'fleet', 'fleet.json'), '{}');
    expect(await (await as(token)).toolNames()).toContain('mail_list');
  });
});

it("the agent's token opens no other route", async () => {
  const own = new Ending();
  try {
    const { Accounts } = await import('../../http/index.ts');
    const accounts = new Accounts({ ownerOf: () => 'unaskable' });
    const there = await testGateway(own, { config: { accounts, token: 'the-gateway-token' } });
    const headers = { authorization: `Bearer ${ensureAgentToken(there.root)}` };
    expect((await there.call('GET', '/v1/status', undefined, headers)).status).toBe(401);
    const keys = { sequence: 'rm', escape_special_keys: false };
    expect((await there.call('POST', '/v1/control/send-keys', keys, headers)).status).toBe(401);
    expect((await there.call('POST', '/v1/control/prompt', { prompt: 'x' }, headers)).status).toBe(401);
    const gatewayToken = { authorization: 'Bearer the-gateway-token' };
    expect((await there.call('POST', '/mcp', LIST, gatewayToken)).status).toBe(401);
    expect(await (await as(ensureAgentToken(there.root), there.gateway.port)).toolNames()).toContain(
      'mail_list',
    );
  } finally {
    await own.run();
  }
});
