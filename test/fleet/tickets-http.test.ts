import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newUuid } from '../../src/base/index.ts';
import { type ServerEvent, TicketsClient } from '../../src/client/index.ts';
import type { CreateRequestInput, InboxRequestEvent } from '../../src/wire/index.ts';
import { startFleet, type TestAgent, type TestFleet } from '../support/fleet.ts';

interface Answer {
  status: number;
  body: Record<string, unknown> & {
    error?: { code: string; message: string; hint?: string; facts?: object };
  };
}

describe.each(['postgres', 'embedded'] as const)('the routes of requests on %s', (on) => {
  let fleet: TestFleet;
  let ana: TestAgent;
  let ben: TestAgent;
  let carl: TestAgent;
  let stranger: TestAgent;
  const tokens: Record<string, string> = {};

  beforeAll(async () => {
    fleet = await startFleet({ on });
    [ana, ben, carl] = [await fleet.agent('ana'), await fleet.agent('ben'), await fleet.agent('carl')];
    const other = await fleet.tenant('other');
    stranger = await fleet.agent('stranger', { orgId: other.orgId });
    Object.assign(tokens, fleet.tokens, {
      requester: ana.token,
      recipient: ben.token,
      bystander: carl.token,
      stranger: stranger.token,
    });
  });
  afterAll(() => fleet?.stop());

  async function http(method: string, path: string, token?: string, body?: unknown): Promise<Answer> {
    const response = await fetch(fleet.url + path, {
      method,
      headers: {
        ...(token && { authorization: `Bearer ${token}` }),
        'x-rouse': '1',
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    return { status: response.status, body: (await response.json()) as Answer['body'] };
  }

  const task = (more: Partial<CreateRequestInput> = {}): CreateRequestInput => ({
    kind: 'task',
    recipient_type: 'agent',
    recipient_id: 'ben',
    title: 'look',
    ...more,
  });
  const ask = async (more: Partial<CreateRequestInput> = {}): Promise<string> =>
    (await new TicketsClient(ana.client).create(task(more))).request_id;

  it('the requests API serves the contract of an agent: create, outgoing, inbox, one, message, respond, cancel', async () => {
    const [from, to] = [`/workspaces/${ana.workspaceId}/requests`, `/workspaces/${ben.workspaceId}/requests`];
    const made = await http('POST', from, ana.token, task({ idempotency_key: 'http', priority: 3 }));
    const id = made.body['request_id'] as string;
    expect(made).toEqual({ status: 201, body: { request_id: id, status: 'pending', idempotent_hit: false } });
    expect(await http('POST', from, ana.token, task({ idempotency_key: 'http', priority: 3 }))).toEqual({
      status: 200,
      body: { request_id: id, status: 'pending', idempotent_hit: true },
    });
    expect((await http('GET', from, ana.token)).body['total_open']).toBe(1);
    expect((await http('GET', `${to}/inbox`, ben.token)).body['requests']).toMatchObject([
      { id, requester_name: 'ana', workspace_name: 'ana', title: 'look', priority: 3, status: 'pending' },
    ]);
    const word = await http('POST', `${to}/${id}/messages`, ben.token, { body: 'how?' });
    expect(word).toMatchObject({
      status: 201,
      body: { status: 'created', request_id: id, request_status: 'info_requested' },
    });
    expect(await http('POST', `${to}/${id}/respond`, ben.token, { action: 'done', note: 'did it' })).toEqual({
      status: 200,
      body: { status: 'done', request_id: id },
    });
    const { body } = await http('GET', `${from}/${id}`, ana.token);
    expect(body['messages']).toMatchObject([{ body: 'how?' }, { body: 'did it', closing: true }]);
    const late = await http('POST', `${from}/${id}/cancel`, ana.token);
    expect(late.status).toBe(409);
    expect(late.body.error!.facts).toMatchObject({ request: { id, status: 'done' } });
    const second = await ask();
    expect(await http('POST', `${from}/${second}/cancel`, ana.token)).toEqual({
      status: 200,
      body: { status: 'cancelled', request_id: second },
    });
  });

  it('the requests API serves the same to people, who are recorded as themselves, also on the path of an agent', async () => {
    const people = new TicketsClient(fleet.user);
    const { request_id: id } = await people.create(task({ recipient_id: ben.workspaceId }));
    expect((await people.sent()).requests).toMatchObject([
      { id, requester_type: 'user', requester_id: 'ana' },
    ]);
    await new TicketsClient(fleet.orgAdmin, ben.workspaceId).respond(id, { action: 'rejected', note: 'no' });
    expect((await people.get(id)).request).toMatchObject({ responder_type: 'user', responder_id: 'lead' });
    const asAgent = await new TicketsClient(fleet.orgAdmin, ana.workspaceId).create(task());
    expect((await new TicketsClient(ben.client).get(asAgent.request_id)).request).toMatchObject({
      requester_type: 'user',
      requester_id: 'lead',
    });
  });

  it('the requests API lists what waits to the people of the org, with names, narrowed by kind and recipient', async () => {
    const id = await ask({ kind: 'approval', recipient_type: 'user', recipient_id: '', priority: 100 });
    const seen = await new TicketsClient(fleet.user).pending({ kind: 'approval' });
    expect(seen.requests[0]).toMatchObject({ id, workspace_name: 'ana', recipient_id: '' });
    expect((await new TicketsClient(fleet.user).inbox({ kind: 'approval' })).requests[0]).toMatchObject({
      id,
    });
    const all = await new TicketsClient(fleet.admin).pending({ org_id: fleet.orgId });
    const forPeople = await new TicketsClient(fleet.orgAdmin).pending({ recipient_type: 'user' });
    expect(all.total_open).toBeGreaterThan(forPeople.total_open);
    expect((await http('GET', '/requests/pending', ana.token)).status).toBe(403);
  });

  describe('who may do what', () => {
    const calls: Record<string, (id: string, token: string | undefined) => Promise<Answer>> = {
      read: (id, token) => http('GET', `/requests/${id}`, token),
      message: (id, token) => http('POST', `/requests/${id}/messages`, token, { body: 'x' }),
      respond: (id, token) => http('POST', `/requests/${id}/respond`, token, { action: 'done' }),
      cancel: (id, token) => http('POST', `/requests/${id}/cancel`, token),
    };
    const agentToAgent: Record<string, Record<string, number>> = {
      read: {
        requester: 200,
        recipient: 200,
        bystander: 403,
        user: 403,
        orgAdmin: 200,
        admin: 200,
        stranger: 404,
      },
      message: {
        requester: 201,
        recipient: 201,
        bystander: 403,
        user: 403,
        orgAdmin: 201,
        admin: 201,
        stranger: 404,
      },
      respond: {
        requester: 400,
        recipient: 200,
        bystander: 403,
        user: 403,
        orgAdmin: 200,
        admin: 200,
        stranger: 404,
      },
      cancel: {
        requester: 200,
        recipient: 403,
        bystander: 403,
        user: 403,
        orgAdmin: 200,
        admin: 200,
        stranger: 404,
      },
    };
    const agentToPeople: Record<string, Record<string, number>> = {
      read: { requester: 200, recipient: 403, user: 200, orgAdmin: 200, stranger: 404 },
      message: { requester: 201, recipient: 403, user: 201, orgAdmin: 201, stranger: 404 },
      respond: { requester: 400, recipient: 403, user: 200, orgAdmin: 200, stranger: 404 },
      cancel: { requester: 200, recipient: 403, user: 403, orgAdmin: 200, stranger: 404 },
    };
    const rows = Object.entries({ agent: agentToAgent, user: agentToPeople }).flatMap(([to, table]) =>
      Object.entries(table).flatMap(([call, who]) =>
        Object.entries(who).map(([caller, status]) => [to, call, caller, status] as const),
      ),
    );

    it.each(rows)('a request to %s: %s by the %s answers %i', async (to, call, caller, status) => {
      const id = await ask(to === 'agent' ? {} : { recipient_type: 'user', recipient_id: '' });
      const answer = await calls[call]!(id, tokens[caller]);
      expect(answer.status, JSON.stringify(answer.body)).toBe(status);
      if (status >= 400) {
        const { body } = await calls['read']!(id, tokens['admin']);
        expect(body).toMatchObject({ request: { status: 'pending' }, messages: [] });
      }
    });

    it('requests are closed to callers without a good token', async () => {
      const id = await ask();
      for (const token of [undefined, 'x', `rouse_${'A'.repeat(43)}`])
        for (const [name, call] of Object.entries(calls)) {
          expect((await call(id, token)).status, `${name} with ${token}`).toBe(401);
        }
      for (const path of ['/requests', '/requests/inbox', '/requests/pending', '/requests/events'])
        expect((await http('GET', path)).status).toBe(401);
    });

    it("the path of an agent opens for the agent itself and administrators of its org only; others' look like none", async () => {
      const path = `/workspaces/${ben.workspaceId}/requests/inbox`;
      const statuses = await Promise.all(
        ['recipient', 'orgAdmin', 'admin', 'requester', 'user', 'stranger'].map(async (who) => [
          who,
          (await http('GET', path, tokens[who])).status,
        ]),
      );
      expect(Object.fromEntries(statuses)).toEqual({
        recipient: 200,
        orgAdmin: 200,
        admin: 200,
        requester: 403,
        user: 403,
        stranger: 404,
      });
      for (const id of [stranger.workspaceId, newUuid(), 'x', "' OR 1=1"])
        expect((await http('GET', `/workspaces/${encodeURIComponent(id)}/requests`, ana.token)).status).toBe(
          404,
        );
    });

    it('a body cannot name the speaker of a request', async () => {
      const id = await ask();
      const forged = { responder_id: ben.workspaceId, responder_type: 'agent' };
      expect(
        (await http('POST', `/requests/${id}/respond`, ana.token, { action: 'done', ...forged })).status,
      ).toBe(422);
      const asOther = task({ requester_id: carl.workspaceId } as object);
      expect((await http('POST', '/requests', ana.token, asOther)).status).toBe(422);
      const other = { org_id: fleet.orgId };
      expect((await http('POST', '/requests', stranger.token, { ...task(), ...other })).status).toBe(404);
    });
  });

  it.each<[string, unknown, number, RegExp]>([
    ['no kind', { ...task(), kind: undefined }, 422, /kind/],
    ['an unknown kind', task({ kind: 'question' as never }), 422, /kind/],
    ['no title', { ...task(), title: undefined }, 422, /title/],
    ['a blank title', task({ title: '  ' }), 422, /title must not be empty/],
    ['a title of 201 characters', task({ title: 'x'.repeat(201) }), 422, /at most 200/],
    ['a title of two lines', task({ title: 'a\nb' }), 422, /one line/],
    ['a title with an escape', task({ title: '\u001b[31mred' }), 422, /control characters/],
    ['NUL in the detail', task({ detail: 'a\u0000b' }), 422, /U\+0000/],
    ['half a surrogate pair', task({ detail: 'a\ud800' }), 422, /Unicode/],
    ['a detail of 20 001 characters', task({ detail: 'x'.repeat(20_001) }), 422, /at most 20000/],
    ['priority 101', task({ priority: 101 }), 422, /priority/],
    ['priority -1', task({ priority: -1 }), 422, /priority/],
    ['a priority in words', task({ priority: 'high' as never }), 422, /priority/],
    ['a recipient of no type', task({ recipient_type: 'team' as never }), 422, /recipient_type/],
    ['an agent without a name', task({ recipient_id: '' }), 404, /no agent/],
    ['SQL for a recipient', task({ recipient_id: "'; DROP TABLE requests; --" }), 404, /no agent/],
    ['oneself', task({ recipient_id: 'ana' }), 400, /to yourself/],
    ['an unknown field', { ...task(), status: 'done' }, 422, /status/],
    ['a list', [], 422, /body/],
    ['no JSON', '{', 422, /JSON/],
  ])('the routes of requests refuse to create with %s', async (_what, body, status, message) => {
    const before = (await new TicketsClient(ana.client).sent({ status: 'all' })).total_open;
    const answer = await http('POST', '/requests', ana.token, body);
    expect([answer.status, answer.body.error!.message]).toEqual([status, expect.stringMatching(message)]);
    expect((await new TicketsClient(ana.client).sent({ status: 'all' })).total_open).toBe(before);
  });

  it.each([
    ['/requests?status=finished', 400, 'known: '],
    ['/requests/inbox?status=pendng', 400, 'did you mean "pending"?'],
    ['/requests?kind=x', 422, undefined],
    ['/requests?limit=0', 422, undefined],
    ['/requests?limit=201', 422, undefined],
    ['/requests?cursor=nope', 422, 'start again'],
    ['/requests/nope', 404, undefined],
    ['/requests/events?after=-1', 422, undefined],
  ])('the routes of requests answer GET %s with %i', async (path, status, hint) => {
    const answer = await http('GET', path, ana.token);
    expect(answer.status).toBe(status);
    if (hint) expect(answer.body.error!.hint).toContain(hint);
  });

  it.each([
    ['respond', {}, 422],
    ['respond', { action: 'ok' }, 422],
    ['respond', { action: 'approved' }, 400],
    ['respond', { action: 'done', note: ' ' }, 422],
    ['messages', {}, 422],
    ['messages', { body: '' }, 422],
    ['messages', { body: 'x'.repeat(20_001) }, 422],
  ])('the routes of requests answer POST …/%s %j with %i and change nothing', async (verb, body, status) => {
    const id = await ask();
    expect((await http('POST', `/requests/${id}/${verb}`, ben.token, body)).status).toBe(status);
    expect(await new TicketsClient(ben.client).get(id)).toMatchObject({
      request: { status: 'pending' },
      messages: [],
    });
  });

  describe('live events', () => {
    async function take(events: AsyncGenerator<ServerEvent>, many: number): Promise<InboxRequestEvent[]> {
      const taken: InboxRequestEvent[] = [];
      while (taken.length < many) {
        const { event, data } = (await events.next()).value!;
        if (event !== 'LISTENING') taken.push(data as InboxRequestEvent);
      }
      return taken;
    }

    it('live events of requests come as they happen, and again from the id seen last', async () => {
      const end = new AbortController();
      const live = ben.client.ticketEvents(undefined, end.signal);
      expect((await live.next()).value).toMatchObject({
        event: 'LISTENING',
        id: expect.stringMatching(/^\d+$/),
      });
      const first = take(live, 1);
      const id = await ask();
      expect(await first).toMatchObject([{ type: 'REQUEST_CREATED', request_id: id }]);
      const rest = take(live, 2);
      await new TicketsClient(ben.client).message(id, 'hm');
      await new TicketsClient(ben.client).respond(id, { action: 'done' });
      const seen = await rest;
      expect(seen.map(({ type }) => type)).toEqual(['REQUEST_MESSAGE', 'REQUEST_RESPONDED']);
      const again = ben.client.ticketEvents(Number(seen[0]!.id), end.signal);
      expect(await take(again, 1)).toEqual([seen[1]]);
      end.abort();
    });

    it('live events of requests end for a token that was revoked', async () => {
      const dora = await fleet.agent('dora');
      const live = dora.client.ticketEvents(0);
      const first = take(live, 1);
      await new TicketsClient(ana.client).create(task({ recipient_id: 'dora' }));
      expect(await first).toMatchObject([{ type: 'REQUEST_CREATED' }]);
      await fleet.sql.query('UPDATE tokens SET revoked_at = now() WHERE workspace_id = $1', [
        dora.workspaceId,
      ]);
      const ended = expect(live.next()).rejects.toThrow(/ended the stream/);
      await new TicketsClient(ana.client).create(task({ recipient_id: 'dora' }));
      await ended;
    });

    it('live events of requests do not keep the server from stopping', async () => {
      const own = await startFleet();
      const follower = own.user.ticketEvents(undefined);
      expect((await follower.next()).value).toMatchObject({ event: 'LISTENING' });
      const ended = follower.next().catch((error: unknown) => error);
      await own.stop();
      expect(await ended).toBeInstanceOf(Error);
    });
  });
});
