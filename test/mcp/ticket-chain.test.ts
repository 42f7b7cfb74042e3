import * as fs from 'node:fs';
import * as path from 'node:path';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { TicketsClient } from '../../src/client/index.ts';
import { startFleet, type TestFleet } from '../support/fleet.ts';
import { TestWorld } from '../support/test-world.ts';
import { TestMcpClient } from './mcp-client.ts';

/** Real tmux, a real gateway process, a scripted agent, a real server, the built command line, the official client. */
let world: TestWorld;
let fleet: TestFleet;
let mcp: TestMcpClient | undefined;
beforeEach(async () => {
  world = new TestWorld();
  fleet = await startFleet();
  const tokenFile = path.join(world.directory, 'token');
  fs.writeFileSync(tokenFile, fleet.tokens.user, { mode: 0o600 });
  world.fleet = { url: fleet.url, tokenFile };
});
afterEach(async () => {
  await mcp?.close();
  await world.close();
  await fleet.stop();
});

const WAIT = { timeout: 30_000, interval: 50 };

const TITLE = 'SECRET-WORDS';

it('a request is typed to the agent as a notice without its words, and the agent answers it by the MCP server its launch gave it', async () => {
  const agent = await world.agent('ana', ['--turn', '50ms']);
  const person = new TicketsClient(fleet.user);
  const { request_id: id } = await person.create({
    kind: 'task',
    recipient_type: 'agent',
    recipient_id: 'ana',
    title: TITLE,
  });
  await expect.poll(async () => (await person.get(id)).request.status, WAIT).toBe('done');
  expect(agent.received()).toEqual([expect.stringContaining(id)]);
  expect(agent.received()[0]).not.toContain(TITLE);
  const { request, messages } = await person.get(id);
  expect(request).toMatchObject({ responder_type: 'agent' });
  expect(messages).toMatchObject([{ body: `Done: ${TITLE}`, author_name: 'ana' }]);
});

it('an agent whose tool knows nothing of it can be answered for by the official client in its session', async () => {
  const nothing = path.join(world.directory, 'no-mcp.json');
  const agent = await world.agent('ana', ['--turn', '50ms', '--mcp-config', nothing]);
  const person = new TicketsClient(fleet.user);
  const { request_id: id } = await person.create({
    kind: 'task',
    recipient_type: 'agent',
    recipient_id: 'ana',
    title: TITLE,
  });
  await expect.poll(() => agent.received(), WAIT).toHaveLength(1);
  expect(agent.received()[0]).toContain(id);
  expect(agent.received()[0]).not.toContain(TITLE);

  const rouse = path.resolve(import.meta.dirname, '../../dist/rouse.cjs');
  const env = { PATH: process.env['PATH']!, HOME: world.directory, HOUMAO_MANIFEST_PATH: agent.facts.path };
  mcp = await new TestMcpClient().connect(
    new StdioClientTransport({ command: process.execPath, args: [rouse, 'mcp'], env }),
  );
  const { requests } = (await mcp.call('list_inbox')).json;
  expect(requests).toMatchObject([{ id, title: TITLE, requester: 'user ana' }]);
  await mcp.call('respond_request', { request_id: id, action: 'done', message: 'it is done' });
  const { request, messages } = await person.get(id);
  expect(request).toMatchObject({ status: 'done', responder_type: 'agent' });
  expect(messages).toMatchObject([{ body: 'it is done', author_name: 'ana' }]);
});
