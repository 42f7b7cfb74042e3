import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startFleet, type TestAgent, type TestFleet } from '../support/fleet.ts';
import { Gateway, promptOf } from './a2a-support.ts';

interface Answer {
  status: number;
  headers: Headers;
  body: Record<string, unknown>;
}

describe('messages to agents over HTTP', () => {
  let fleet: TestFleet;
  let target: TestAgent;
  let sender: TestAgent;
  let gateway: Gateway;

  beforeAll(async () => {
    fleet = await startFleet();
  });
  afterAll(() => fleet.stop());
  beforeEach(async () => {
    target = await fleet.agent(`target-${randomUUID()}`);
    sender = await fleet.agent(`sender-${randomUUID()}`);
    gateway = new Gateway(fleet.sql, target);
  });

  const ask = async (
    method: string,
    path: string,
    token: string | undefined,
    body?: unknown,
  ): Promise<Answer> => {
    const response = await fetch(`${fleet.url}${path}`, {
      method,
      headers: {
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        'x-rouse': '1',
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return {
      status: response.status,
      headers: response.headers,
      body: (await response.json()) as Answer['body'],
    };
  };
  const message = (text: string, more: object = {}, params: object = {}) => ({
    jsonrpc: '2.0',
    id: 1,
    method: 'message/send',
    params: { message: { role: 'user', parts: [{ kind: 'text', text }], ...more }, ...params },
  });
  const send = (body: unknown, token: string | undefined = sender.token): Promise<Answer> =>
    ask('POST', `/workspaces/${target.workspaceId}/a2a`, token, body);
  const look = (id: unknown, token: string | undefined): Promise<Answer> =>
    ask('GET', `/workspaces/${target.workspaceId}/a2a/queue/${id}`, token);

  it('a token that was revoked stores nothing from that moment on, though the server knew whose it is', async () => {
    expect((await send(message('before'))).status).toBe(202);
    const revoke = 'UPDATE tokens SET revoked_at = now() WHERE workspace_id = $1::uuid';
    await fleet.sql.query(revoke, [sender.workspaceId]);
    for (let n = 0; n < 2; n++) expect((await send(message('after'))).status).toBe(401);
    const stored = 'SELECT count(*)::int AS n FROM a2a_queue WHERE workspace_id = $1::uuid';
    expect((await fleet.sql.query(stored, [target.workspaceId])).rows).toEqual([{ n: 1 }]);
  });

  it('an agent of another org is not found, and gets nothing, also when the server knew the sender', async () => {
    const far = await fleet.tenant(`t-${randomUUID().slice(0, 8)}`);
    const stranger = await fleet.agent(`far-${randomUUID()}`, { orgId: far.orgId });
    expect((await send(message('mine'))).status).toBe(202);
    const other = `/workspaces/${stranger.workspaceId}/a2a`;
    for (let n = 0; n < 2; n++)
      expect((await ask('POST', other, sender.token, message('not mine'))).status).toBe(404);
  });

  it('sending answers 202 with the id and the depth, and the message reaches the gateway', async () => {
    const first = await send(message('one'));
    expect(first).toMatchObject({ status: 202, body: { queued: true, queue_depth: 1, duplicate: false } });
    expect((await send(message('two'), fleet.tokens.user)).body['queue_depth']).toBe(2);
    const leased = await gateway.take();
    expect(leased.map((each) => promptOf(each).split('\n')[1])).toEqual(['> one', '> two']);
    expect(promptOf(leased[0]!)).toContain(`from agent "${sender.agentId}"`);
  });

  it('the same messageId is one message', async () => {
    const messageId = randomUUID();
    const first = await send(message('x', { messageId }));
    const again = await send(message('x', { messageId }));
    expect(again.body).toMatchObject({ queue_id: first.body['queue_id'], duplicate: true });
    expect((await send(message('y', { messageId }))).status).toBe(409);
    expect(await gateway.take()).toHaveLength(1);
  });

  it('a message expires when its sender says so', async () => {
    const { body } = await send(message('x', {}, { expires_in_seconds: 30 }));
    await fleet.sql.query(`UPDATE a2a_queue SET expires_at = now() - interval '1 second' WHERE id = $1`, [
      body['queue_id'] as string,
    ]);
    expect(await gateway.take()).toEqual([]);
    expect((await look(body['queue_id'], sender.token)).body).toMatchObject({ status: 'dropped' });
  });

  it('only administrators go before others', async () => {
    expect((await send(message('x', {}, { priority: 100 }))).status).toBe(403);
    expect((await send(message('low', {}, { priority: 10 }))).status).toBe(202);
    expect((await send(message('high', {}, { priority: 100 }), fleet.tokens.orgAdmin)).status).toBe(202);
    expect((await gateway.take()).map(({ priority }) => priority)).toEqual([100, 10]);
  });

  it('a full queue says when to come back, and takes nothing', async () => {
    await fleet.sql.query(
      `INSERT INTO a2a_queue (id, org_id, workspace_id, body)
       SELECT gen_random_uuid(), $1::uuid, $2::uuid, '{}' FROM generate_series(1, 1000)`,
      [fleet.orgId, target.workspaceId],
    );
    const refused = await send(message('x'));
    expect(refused.status).toBe(503);
    expect(refused.headers.get('retry-after')).toBe('30');
    expect(refused.body['error']).toMatchObject({ facts: { busy: true, retry_after: 30 } });
    const { rows } = await fleet.sql.query('SELECT FROM a2a_queue WHERE workspace_id = $1', [
      target.workspaceId,
    ]);
    expect(rows).toHaveLength(1000);
  });

  it.each([
    ['nothing', {}],
    ['another method', { method: 'tasks/get', params: {} }],
    ['no message', message('x', { parts: undefined })],
    ['no part', message('x', { parts: [] })],
    ['a file', message('x', { parts: [{ kind: 'file', file: { uri: 'file:///etc/passwd' } }] })],
    ['blank text', message('  ')],
    ['U+0000', message('a\u0000b')],
    ['only control characters', message('\u0007')],
    ['too much text', message('x'.repeat(70_000))],
    ['an expiry in the past', message('x', {}, { expires_in_seconds: -1 })],
    ['a priority out of range', message('x', {}, { priority: 101 })],
    ['an unknown field', message('x', {}, { caller_id: randomUUID() })],
    ['a messageId of two lines', message('x', { messageId: 'a\nb' })],
  ])('a body with %s is refused and changes nothing', async (_, body) => {
    const { status, body: answer } = await send(body);
    expect(status).toBe(422);
    expect(answer).toHaveProperty('detail');
    expect(await gateway.take()).toEqual([]);
  });

  it('only its sender, its target and administrators see how a message ended', async () => {
    const { body } = await send(message('secret'));
    const id = body['queue_id'];
    for (const token of [sender.token, target.token, fleet.tokens.orgAdmin, fleet.tokens.admin]) {
      const seen = await look(id, token);
      expect(seen).toMatchObject({ status: 200, body: { queue_id: id, status: 'queued', attempts: 0 } });
      expect(JSON.stringify(seen.body)).not.toMatch(new RegExp(`secret|${sender.workspaceId}|"body"`));
    }
    const other = await fleet.agent(`other-${randomUUID()}`);
    expect((await look(id, other.token)).status).toBe(403);
    expect((await look(id, fleet.tokens.user)).status).toBe(403);
    expect((await look(id, undefined)).status).toBe(401);
    const tenant = await fleet.agent(`far-${randomUUID()}`, {
      orgId: (await fleet.tenant(`t-${randomUUID().slice(0, 8)}`)).orgId,
    });
    for (const [wanted, token] of [
      [id, tenant.token],
      [randomUUID(), sender.token],
      ['nonsense', sender.token],
    ]) {
      const missing = await look(wanted, token as string);
      expect(missing).toMatchObject({ status: 404, body: { error: { facts: { retryable: true } } } });
    }
  });

  it('an agent of another tenant, a removed one and nonsense do not exist', async () => {
    const { orgId } = await fleet.tenant(`t-${randomUUID().slice(0, 8)}`);
    const far = await fleet.agent(`far-${randomUUID()}`, { orgId });
    expect((await send(message('x'), far.token)).status).toBe(404);
    await fleet.sql.query(`UPDATE workspaces SET status = 'removed' WHERE id = $1`, [target.workspaceId]);
    expect((await send(message('x'))).status).toBe(404);
    for (const ref of ['nonsense', '%00', `${target.workspaceId}'--`]) {
      expect((await ask('POST', `/workspaces/${ref}/a2a`, sender.token, message('x'))).status).toBe(404);
    }
    expect((await ask('POST', `/workspaces/${target.workspaceId}/a2a`, undefined, message('x'))).status).toBe(
      401,
    );
  });

  describe('administrators', () => {
    const dead = async (): Promise<string> => {
      const { body } = await send(message('x'));
      await fleet.sql.query(
        `UPDATE a2a_queue SET status = 'failed', completed_at = now(), last_error = 'no' WHERE id = $1`,
        [body['queue_id'] as string],
      );
      return body['queue_id'] as string;
    };
    const list = (query: string, token: string = fleet.tokens.orgAdmin): Promise<Answer> =>
      ask('GET', `/admin/a2a-queue?workspace_id=${target.workspaceId}${query}`, token);
    const idsOf = ({ body }: Answer): unknown[] =>
      (body['messages'] as { queue_id: string }[]).map((each) => each.queue_id);

    it('administrators see dead letters by page and send them again', async () => {
      const [a, b] = [await dead(), await dead()];
      const page = await list('&limit=1');
      expect(idsOf(page)).toEqual([b]);
      expect(idsOf(await list(`&limit=1&cursor=${page.body['next_cursor']}`))).toEqual([a]);
      expect(idsOf(await list('&status=dropped'))).toEqual([]);
      const again = await ask('POST', `/admin/a2a-queue/${a}/replay`, fleet.tokens.orgAdmin);
      expect(again).toMatchObject({ status: 200, body: { queue_id: a, status: 'queued' } });
      expect((await gateway.take()).map(({ id }) => id)).toEqual([a]);
      expect((await ask('POST', `/admin/a2a-queue/${a}/replay`, fleet.tokens.orgAdmin)).status).toBe(409);
    });

    it('administrators drop what waits for too long', async () => {
      const { body } = await send(message('x'));
      await fleet.sql.query(`UPDATE a2a_queue SET enqueued_at = now() - interval '2 hours' WHERE id = $1`, [
        body['queue_id'] as string,
      ]);
      const drop = (query: string): Promise<Answer> =>
        ask(
          'POST',
          `/admin/a2a-queue/drop-stale?workspace_id=${target.workspaceId}${query}`,
          fleet.tokens.orgAdmin,
        );
      expect((await drop('&max_age_minutes=180')).body).toEqual({ dropped: 0 });
      expect((await drop('')).body).toEqual({ dropped: 1 });
      for (const bad of ['0', '-5', '1.5', 'x', '', '1e3'])
        expect((await drop(`&max_age_minutes=${bad}`)).status).toBe(422);
    });

    it('only administrators see dead letters, each within their own tenant', async () => {
      const id = await dead();
      const far = await fleet.tenant(`t-${randomUUID().slice(0, 8)}`);
      const routes: [string, string][] = [
        ['GET', '/admin/a2a-queue'],
        ['POST', `/admin/a2a-queue/${id}/replay`],
        ['POST', '/admin/a2a-queue/drop-stale'],
      ];
      for (const [method, path] of routes) {
        expect((await ask(method, path, undefined)).status).toBe(401);
        for (const token of [sender.token, fleet.tokens.user])
          expect((await ask(method, path, token)).status).toBe(403);
      }
      await expect(far.admin.request('POST', `/admin/a2a-queue/${id}/replay`)).rejects.toMatchObject({
        code: 'not_found',
      });
      expect((await ask('POST', '/admin/a2a-queue/nonsense/replay', fleet.tokens.admin)).status).toBe(404);
      for (const bad of ['&limit=0', '&limit=x', '&cursor=zzz', '&status=queued', '&colour=red']) {
        expect((await list(bad)).status).toBe(422);
      }
    });
  });
});
