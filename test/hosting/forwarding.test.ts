import { once } from 'node:events';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { limit } from '../../src/domain/index.ts';
import { createToken, ensureOrg } from '../../src/fleet/index.ts';
import { CARRIED_ROUTES } from '../../src/wire/index.ts';
import { StandInAgent } from '../fleet/agents-stand-in.ts';
import { ServedWorld } from '../fleet/served-world.ts';

let world: ServedWorld;
let agent: StandInAgent;
beforeAll(async () => {
  world = await new ServedWorld().open();
  agent = await StandInAgent.open(world, 'gpu');
});
beforeEach(() => {
  agent.seen.length = 0;
  agent.claims = undefined;
  agent.behave = (_, response) => void response.end('{"fine":true}');
});
afterAll(async () => {
  agent.close();
  await world.shut();
});

const raw = async (
  method: string,
  rest: string,
  init: RequestInit = {},
): Promise<{ status: number; text: string; headers: Headers }> => {
  const response = await fetch(`${world.url}/houmao/agents/gpu${rest}`, {
    method,
    ...init,
    headers: { 'x-rouse': '1', ...init.headers },
  });
  return { status: response.status, text: await response.text(), headers: response.headers };
};

describe('what is asked of an agent', () => {
  const carried = Object.values(CARRIED_ROUTES);
  it.each(carried.map(({ method, carries, path }) => [method, carries.path, path] as const))(
    '%s %s for an agent reaches its gateway through the server',
    async (method, ownPath, path) => {
      const own = ownPath.replaceAll(/\{\w+\}/g, 'some%20id');
      const rest = path.slice('/houmao/agents/{agent_ref}'.length).replaceAll(/\{\w+\}/g, 'some%20id');
      const body = method === 'GET' || method === 'DELETE' ? undefined : '{"schema_version":1,"π":"\\u0000"}';
      const said = await raw(method, `${rest}?limit=3&x=%26`, {
        ...(body && { body }),
        headers: { 'content-type': 'application/json' },
      });
      expect([said.status, said.text]).toEqual([200, '{"fine":true}']);
      expect(agent.seen.map((seen) => [seen.method, seen.url, seen.body])).toEqual([
        [method, `${own}?limit=3&x=%26`, body ?? ''],
      ]);
    },
  );

  it('a forwarded request arrives without the credentials and cookies of the caller', async () => {
    await raw('GET', '/gateway/requests', {
      headers: { cookie: 'a=b', 'x-other': '1', 'last-event-id': '7', 'idempotency-key': 'k' },
    });
    const { headers } = agent.seen[0]!;
    expect([headers.cookie, headers.authorization, headers['x-other'], headers['last-event-id']]).toEqual([
      undefined,
      undefined,
      undefined,
      '7',
    ]);
    expect(headers['idempotency-key']).toBe('k');
    expect(headers.host).toBe(`127.0.0.1:${new URL(`http://${headers.host}`).port}`);
    expect(headers.host).not.toBe(new URL(world.url).host);
  });

  it.each([
    ['..', '/gateway/requests/../../stop'],
    ['..', '/gateway/%2e%2e/%2e%2e/stop'],
  ])('what is asked of an agent never climbs out of its place by %s', async (_, rest) => {
    await raw('GET', rest);
    expect(agent.seen.filter(({ url }) => !url.startsWith('/v1/'))).toEqual([]);
  });

  it('a forwarded request that is too large is refused unread', async () => {
    const said = await raw('POST', '/gateway/requests', {
      body: 'x'.repeat(limit('bodyBytes') + 1),
      headers: { 'content-type': 'application/json' },
    });
    expect([said.status, agent.seen]).toEqual([413, []]);
  });
});

describe('what a gateway answers', () => {
  it.each([
    [404, { detail: 'there is no such reminder' }],
    [409, { detail: { status: 'error', error_code: 'not_ready', sent: false, reasons: ['a', 'b'] } }],
    [
      409,
      { detail: 'blocked', error: { code: 'conflict', message: 'blocked', facts: { deep: { er: [1] } } } },
    ],
    [422, { detail: [{ type: 'missing', loc: ['body', 'prompt'], msg: 'is required' }] }],
    [415, { detail: 'the body must be sent with "Content-Type: application/json"' }],
    [500, { detail: 'it failed inside' }],
    [501, { detail: { error_code: 'unsupported_backend' } }],
    [502, { detail: 'the mail store failed' }],
    [503, { detail: { error_code: 'unavailable' } }],
  ])('what a gateway answers comes back with status %s and its body unchanged', async (status, body) => {
    const text = ` ${JSON.stringify(body)}\n`;
    agent.behave = (_, response) => {
      response.statusCode = status;
      response.end(text);
    };
    const said = await raw('POST', '/gateway/control/prompt', { body: '{}' });
    expect([said.status, said.text]).toEqual([status, text]);
  });

  it('a forwarded response keeps its type, also when it is not JSON, and the list of methods', async () => {
    agent.behave = (_, response) => {
      response.statusCode = 405;
      response.setHeader('allow', 'GET, POST');
      response.setHeader('content-type', 'text/plain');
      response.end('no');
    };
    const said = await raw('PUT', '/gateway/requests', { body: '{}' });
    expect([said.status, said.headers.get('allow'), said.headers.get('content-type'), said.text]).toEqual([
      405,
      'GET, POST',
      'text/plain',
      'no',
    ]);
  });

  it('a forwarded response comes as it is written, and ends at the gateway when the caller has gone', async () => {
    let closed: Promise<unknown> = Promise.resolve();
    agent.behave = (request, response) => {
      response.setHeader('content-type', 'text/event-stream');
      response.write('id: 1\nevent: accepted\ndata: {}\n\n');
      closed = once(request.socket, 'close');
    };
    const stop = new AbortController();
    const stream = await fetch(`${world.url}/houmao/agents/gpu/gateway/events`, { signal: stop.signal });
    const { value } = await stream.body!.getReader().read();
    expect(new TextDecoder().decode(value)).toContain('event: accepted');
    stop.abort();
    await closed;
  });

  it('a forwarded response is 503 when the connection breaks, and says that the outcome is not known', async () => {
    agent.behave = (request) => request.socket.destroy();
    const changed = await raw('POST', '/gateway/requests', { body: '{}' });
    expect([
      changed.status,
      changed.text.includes('it is not known whether it accepted the request'),
    ]).toEqual([503, true]);
    const looked = await raw('GET', '/gateway/requests');
    expect([looked.status, looked.text.includes('not known')]).toEqual([503, false]);
  });
});

describe('a token that is revoked while its answer is held', () => {
  const revocable = async () => {
    const { sql } = world.server;
    const { id } = await ensureOrg(sql, 'default');
    const { token, view } = await createToken(sql, { kind: 'user', orgId: id, subject: 'ben' });
    const revoke = () => sql.query('UPDATE tokens SET revoked_at = now() WHERE id = $1', [view.id]);
    return { headers: { authorization: `Bearer ${token}` }, revoke };
  };

  it('a token that is revoked during a stream gets nothing more of it', async () => {
    const { headers, revoke } = await revocable();
    let ended = false;
    agent.behave = (_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const say = setInterval(() => response.write('data: screen\n\n'), 20);
      response.once('close', () => {
        clearInterval(say);
        ended = true;
      });
    };
    const response = await fetch(`${world.url}/houmao/agents/gpu/gateway/events`, {
      headers: { 'x-rouse': '1', ...headers },
    });
    const reader = response.body!.getReader();
    expect((await reader.read()).done).toBe(false);
    await revoke();
    while (!(await reader.read()).done);
    await expect.poll(() => ended).toBe(true);
  });

  it('a token that is revoked while its response is held is refused', async () => {
    const { headers, revoke } = await revocable();
    let answer = (): void => {};
    const asked = new Promise<void>((resolve) => {
      agent.behave = (_, response) => {
        answer = () => void response.end('{"secret":true}');
        resolve();
      };
    });
    const waiting = raw('GET', '/gateway/tui/screen?wait_seconds=30', { headers });
    await asked;
    await revoke();
    // As long as a screen that does not change.
    setTimeout(answer, 1200);
    const said = await waiting;
    expect([said.status, said.text.includes('secret')]).toEqual([401, false]);
  });
});

describe('a gateway that is not the recorded one', () => {
  const refused = async (): Promise<void> => {
    const said = await raw('POST', '/gateway/control/prompt', { body: '{"prompt":"secret"}' });
    expect([said.status, JSON.parse(said.text).error.facts.cause]).toEqual([503, 'no_live_gateway']);
    expect(agent.seen).toEqual([]);
  };

  it('nothing is forwarded to another program on the port of a gateway', async () => {
    agent.claims = 'another-agent';
    await refused();
  });

  it('nothing is forwarded to a gateway whose process has ended', async () => {
    agent.record({ pid: 2 ** 22 - 1, pid_start_ticks: 1 });
    await refused();
    agent.record();
  });

  it('nothing is forwarded to a gateway whose process number is that of another process', async () => {
    agent.record({ pid_start_ticks: 1 });
    await refused();
    agent.record();
  });
});

describe('a gateway that runs and does not answer as itself', () => {
  it.each([
    ['/interrupt', '{}'],
    ['/requests', '{"request_kind":"interrupt"}'],
    ['/requests', '{"request_kind":"submit_prompt","prompt":"hello"}'],
  ])(
    'a gateway that runs and does not answer as itself is not passed by on the way to the terminal: POST %s %s',
    async (rest, body) => {
      agent.claims = 'another-agent';
      const said = await raw('POST', rest, { body, headers: { 'content-type': 'application/json' } });
      expect([said.status, JSON.parse(said.text).error.facts.cause]).toEqual([503, 'gateway_unreachable']);
      expect(agent.seen).toEqual([]);
    },
  );
});
