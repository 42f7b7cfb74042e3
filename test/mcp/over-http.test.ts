import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { newUuid } from '../../src/base/index.ts';
import { startFleet, type TestAgent, type TestFleet } from '../support/fleet.ts';
import { REQUEST_TOOL_NAMES, TestMcpClient } from './mcp-client.ts';

describe.each([
  ['of 2025', {}],
  ['of 2026', { versionNegotiation: { mode: 'auto' } }],
] as const)('/mcp of the fleet server, to the official client in the protocol %s', (_era, options) => {
  let fleet: TestFleet;
  let ana: TestAgent;
  let ben: TestAgent;
  const clients: TestMcpClient[] = [];

  beforeAll(async () => {
    fleet = await startFleet();
    [ana, ben] = [await fleet.agent('ana'), await fleet.agent('ben')];
  });
  afterAll(() => fleet?.stop());
  afterEach(async () => {
    for (const client of clients.splice(0)) await client.close();
  });

  async function as(token: string | undefined): Promise<TestMcpClient> {
    const headers: Record<string, string> = token ? { authorization: `Bearer ${token}` } : {};
    const transport = new StreamableHTTPClientTransport(new URL(`${fleet.url}/mcp`), {
      requestInit: { headers },
    });
    const client = new TestMcpClient(options as object);
    clients.push(client);
    return client.connect(transport);
  }

  it('/mcp of the fleet server offers the tools of requests, with their parameters', async () => {
    const client = await as(ana.token);
    expect(await client.toolNames()).toEqual(REQUEST_TOOL_NAMES);
    const { tools } = await client.client.listTools();
    const create = tools.find(({ name }) => name === 'create_request')!;
    expect(create.inputSchema).toMatchObject({
      required: ['kind', 'recipient_type', 'title'],
      additionalProperties: false,
    });
    expect(
      tools
        .filter((each) => each.annotations?.readOnlyHint)
        .map(({ name }) => name)
        .sort(),
    ).toEqual(['check_requests', 'get_request', 'list_inbox']);
  });

  it('/mcp of the fleet server carries a request from one agent to another and its answer back', async () => {
    const [asking, asked] = [await as(ana.token), await as(ben.token)];
    const wanted = {
      kind: 'approval',
      recipient_type: 'agent',
      recipient_id: 'ben',
      title: 'Ship it?',
      detail: 'x'.repeat(500),
    };
    const id = (await asking.call('create_request', wanted)).json.request_id;
    const inbox = (await asked.call('list_inbox')).json;
    expect(inbox.requests.find((row: { id: string }) => row.id === id)).toMatchObject({
      title: 'Ship it?',
      requester: 'agent ana',
      detail: expect.stringMatching(/^x{197}\.\.\.$/),
    });
    await asked.call('add_request_message', { request_id: id, body: 'which one?' });
    await asking.call('add_request_message', { request_id: id, body: '1.4' });
    const answer = await asked.call('respond_request', { request_id: id, action: 'approved', message: 'go' });
    expect(answer.json).toEqual({ status: 'approved', request_id: id });
    const [row] = (await asking.call('check_requests', { limit: 1 })).json.requests;
    expect(row).toMatchObject({ id, status: 'approved', recipient: 'agent ben' });
    const thread = (await asking.call('get_request', { request_id: id })).json;
    expect(thread.messages.map(({ body }: { body: string }) => body)).toEqual(['which one?', '1.4', 'go']);
  });

  it('/mcp of the fleet server speaks only as the holder of the token, whatever workspace is named', async () => {
    const client = await as(ana.token);
    const own = await client.call('list_inbox', { workspace_id: ana.workspaceId });
    expect(own.isError).toBe(false);
    const other = await client.call('list_inbox', { workspace_id: ben.workspaceId });
    expect(other).toMatchObject({ isError: true, text: 'forbidden: this token is not for that workspace' });
    const admin = await as(fleet.tokens.orgAdmin);
    expect((await admin.call('list_inbox', { workspace_id: ben.workspaceId })).isError).toBe(false);
  });

  it('/mcp of the fleet server returns every refusal as a tool error with what to do', async () => {
    const client = await as(ana.token);
    const wanted = { kind: 'task', recipient_type: 'agent', recipient_id: 'bem', title: 't' };
    expect(await client.call('create_request', wanted)).toMatchObject({
      isError: true,
      text: 'not_found: there is no agent "bem"\nhint: did you mean "ben"?',
    });
    const { request_id: id } = (await client.call('create_request', { ...wanted, recipient_id: 'ben' })).json;
    const self = await client.call('respond_request', { request_id: id, action: 'done' });
    expect(self.text).toMatch(/^invalid: you cannot answer your own request\nhint: /);
    await client.call('cancel_request', { request_id: id });
    const late = await (await as(ben.token)).call('respond_request', { request_id: id, action: 'done' });
    expect(late.text).toMatch(
      /^conflict: the request is already cancelled\n[\s\S]*as it is now: .*"status":"cancelled"/,
    );
    for (const [name, args] of [
      ['get_request', { request_id: newUuid() }],
      ['get_request', { request_id: '../pending' }],
      ['get_request', {}],
      ['list_inbox', { status: 'finished' }],
      ['list_inbox', { limit: 0 }],
      ['create_request', { ...wanted, requester_id: 'x' }],
      ['add_request_message', { request_id: id, body: '' }],
    ] as const) {
      expect((await client.call(name, args)).isError, `${name} ${JSON.stringify(args)}`).toBe(true);
    }
  });

  it.each([undefined, `rouse_${'A'.repeat(43)}`])(
    '/mcp of the fleet server refuses the token %s',
    async (token) => {
      await expect(as(token)).rejects.toThrow();
      const headers = {
        'content-type': 'application/json',
        ...(token && { authorization: `Bearer ${token}` }),
      };
      const response = await fetch(`${fleet.url}/mcp`, { method: 'POST', headers, body: '{}' });
      expect(response.status).toBe(401);
    },
  );

  it('/mcp of the fleet server refuses a page of another origin before anything is read', async () => {
    const response = await fetch(`${fleet.url}/mcp`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${ana.token}`,
        origin: 'https://evil.example',
        'content-type': 'application/json',
      },
      body: '{}',
    });
    expect(response.status).toBe(403);
  });
});
