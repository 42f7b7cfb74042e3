import { afterAll, beforeAll, expect, it } from 'vitest';
import { FleetClient } from '../../src/client/index.ts';
import { ensureOrg, registerWorkspace } from '../../src/fleet/index.ts';
import type { HandedCall } from '../../src/wire/index.ts';
import { PageWorld, type Visitor } from './page-world.ts';

const world = new PageWorld();
let me: Visitor;
let far: FleetClient;
const asked: HandedCall[] = [];
const leaving = new AbortController();
let beating: Promise<void>;

/** The response of the gateway on the other host. */
const ANSWERS: Record<string, unknown> = {
  'POST /v1/requests': {
    request_id: 'far-1',
    request_kind: 'submit_prompt',
    state: 'accepted',
    queue_depth: 1,
  },
  'POST /v1/mail/post': { schema_version: 1, message: {} },
  'GET /v1/reminders': { effective_reminder_id: null, reminders: [] },
  'GET /v1/requests': { requests: [] },
};

beforeAll(async () => {
  await world.open({ calm: true });
  const { id: orgId } = await ensureOrg(world.server.sql, 'default');
  const { token } = await registerWorkspace(world.server.sql, {
    orgId,
    agentId: 'id-hana',
    name: 'hana',
    sessionId: 's',
    host: 'remote',
  });
  far = new FleetClient({ url: `http://127.0.0.1:${world.server.port}`, token });
  const beat = (wait_seconds: number) =>
    far.heartbeat(
      { session_id: 's', active_tasks: 0, takes_calls: true, wait_seconds },
      { timeoutMs: 60_000, signal: leaving.signal },
    );
  await beat(0);
  beating = (async () => {
    while (!leaving.signal.aborted)
      for (const call of (await beat(5)).calls) {
        asked.push(call);
        const answer = ANSWERS[`${call.method} ${call.path.split('?')[0]}`];
        const body = answer ? { status: 200, answer } : { status: 404, answer: { detail: 'no such thing' } };
        await far.call('registry.calls.answer', { call_id: call.id, body });
      }
  })().catch(() => undefined);
  me = await world.visit();
}, 120_000);
afterAll(async () => {
  leaving.abort();
  await beating;
  await world.shut();
}, 60_000);

const lastAsked = (path: string): HandedCall | undefined =>
  asked.findLast((call) => call.path.split('?')[0] === path);

it('an agent of another host that is online can be written to through the server; its screen cannot be seen', async () => {
  const { body } = await world.as(me, 'GET', 'agents/hana');
  expect(body).toMatchObject({
    row: { here: false, host: 'remote' },
    out_of_reach: 'on host remote; its screen, dialogs and files can be used only there',
    may: { prompt: true, interrupt: true, mail: true, reminders: true, keys: false },
  });
  expect(body['what_will_happen'].prompt).toContain('Through the server to its gateway on host remote');
  expect((await world.as(me, 'GET', 'agents/hana/screen')).status).toBe(503);
});

it('a prompt for an agent on another host reaches its gateway once, with the name of who asked', async () => {
  const said = await world.act(me, 'agents/hana/prompt', { prompt: 'say hello' });
  expect(said).toMatchObject({ status: 200, body: { status: 'accepted', ref: 'far-1' } });
  const calls = asked.filter(({ method, path }) => method === 'POST' && path === '/v1/requests');
  expect(calls).toMatchObject([
    { caller: 'page nina', body: { kind: 'submit_prompt', payload: { prompt: 'say hello' } } },
  ]);
});

it('mail from the page to an agent on another host is a note in its own inbox, and files are refused before anything is sent', async () => {
  const note = { to: ['hana'], subject: 'hello', body: 'from another host' };
  const file = { name: 'a.txt', content_base64: 'YQ==' };
  expect((await world.act(me, 'mail/send', { ...note, attachments: [file] })).status).toBe(422);
  expect(lastAsked('/v1/mail/post')).toBeUndefined();
  expect((await world.act(me, 'mail/send', note)).status).toBe(200);
  expect(lastAsked('/v1/mail/post')?.body).toMatchObject({
    subject: 'hello',
    body_content: 'from another host',
  });
});

it('the queue and reminders of an agent on another host are read there, and its refusals are shown as they are', async () => {
  expect((await world.as(me, 'GET', 'agents/hana/queue')).body).toMatchObject({ queue_depth: 0, items: [] });
  expect((await world.as(me, 'GET', 'agents/hana/reminders')).body).toMatchObject({ reminders: [] });
  expect((await world.act(me, 'agents/hana/requests/gone/cancel')).status).toBe(404);
});

it('a lesser role cannot use an agent on another host', async () => {
  const before = asked.length;
  const viewer = await world.visit('view', 'vera');
  expect((await world.act(viewer, 'agents/hana/prompt', { prompt: 'no' })).status).toBe(403);
  expect(asked.length).toBe(before);
});
