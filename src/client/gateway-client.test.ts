import * as http from 'node:http';
import * as net from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { isRouseError, notFound, RouseError } from '../base/index.ts';
import { GATEWAY_ROUTES, type Route, refusal, toHttp } from '../wire/index.ts';

const ROUTES = Object.values<Route>(GATEWAY_ROUTES).filter((route) => route.documented !== false);

import { fleetPath, GatewayClient } from './index.ts';

interface Seen {
  method: string;
  url: string;
  headers: http.IncomingHttpHeaders;
  body: unknown;
}

type Answer = (seen: Seen, response: http.ServerResponse) => void;

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

async function listen(server: net.Server): Promise<number> {
  const sockets = new Set<net.Socket>();
  server.on('connection', (socket: net.Socket) => {
    sockets.add(socket.on('close', () => sockets.delete(socket)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closers.push(() => {
    for (const socket of sockets) socket.destroy();
    return new Promise((resolve) => server.close(resolve));
  });
  return (server.address() as net.AddressInfo).port;
}

async function gateway(answer: Answer): Promise<{ port: number; seen: Seen[] }> {
  const seen: Seen[] = [];
  const server = http.createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request as AsyncIterable<Buffer>) parts.push(part);
    const text = Buffer.concat(parts).toString();
    seen.push({
      method: request.method!,
      url: request.url!,
      headers: request.headers,
      body: text ? JSON.parse(text) : undefined,
    });
    answer(seen.at(-1)!, response);
  });
  return { port: await listen(server), seen };
}

const json =
  (status: number, body: unknown): Answer =>
  (_, response) =>
    void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));

const clientOf = (port: number, more: object = {}): GatewayClient =>
  new GatewayClient({ host: '127.0.0.1', port, ...more });

async function failureOfCall(call: Promise<unknown>): Promise<RouseError> {
  const error = await call.then(
    () => new Error('it succeeded'),
    (caught: unknown) => caught,
  );
  if (!isRouseError(error)) throw error;
  return error;
}

describe('GatewayClient', () => {
  it('reaches every route of the contract with its method, path and body', async () => {
    const { port, seen } = await gateway(json(200, {}));
    const client = clientOf(port);
    const reminder = {
      mode: 'one_off',
      title: 't',
      prompt: 'p',
      ranking: 0,
      start_after_seconds: 1,
    } as const;
    const refs = { message_refs: ['m'] };
    await client.health();
    await client.status();
    await client.submitPrompt({ prompt: 'p' }, { idempotency_key: 'k' });
    await client.interrupt();
    await client.prompt({ prompt: 'p', force: true });
    await client.sendKeys({ sequence: '<[Escape]>' });
    await client.tuiState();
    await client.call('tui.screen', {});
    await client.call('tui.history', { limit: 5 });
    await client.call('tui.notePrompt', { body: { prompt: 'p' } });
    await client.call('headless.state', {});
    await client.call('headless.nextPromptSession', { body: { mode: 'new' } });
    await client.reminders();
    await client.call('reminders.create', { body: { reminders: [reminder] } });
    await client.call('reminders.get', { reminder_id: 'a/b?c' });
    await client.call('reminders.put', { reminder_id: 'r', body: reminder });
    await client.call('reminders.delete', { reminder_id: 'r' });
    await client.call('mail.status', {});
    await client.call('mail.waits', {});
    await client.call('mail.list', { body: {} });
    await client.call('mail.search', { body: { text: 'x' } });
    await client.call('mail.peek', { body: { message_ref: 'm' } });
    await client.call('mail.read', { body: { message_ref: 'm' } });
    await client.call('mail.send', { body: { to: ['a@b'], subject: 's', body_content: 'b' } });
    await client.call('mail.post', { body: { subject: 's', body_content: 'b' } });
    await client.call('mail.reply', { body: { message_ref: 'm', body_content: 'b' } });
    await client.call('mail.mark', { body: { ...refs, read: true } });
    await client.call('mail.move', { body: { ...refs, destination_box: 'later' } });
    await client.call('mail.archive', { body: refs });
    await client.notifier();
    await client.call('notifier.enable', { body: { interval_seconds: 60 } });
    await client.call('notifier.disable', {});
    await client.call('notifier.preview', {});
    await client.call('notifier.resume', { body: { thread_ref: 'm' } });
    await client.call('notifier.decisions', { limit: 5 });
    await client.call('pause.status', {});
    await client.call('pause.begin', { body: {} });
    await client.call('pause.end', {});
    await client.announcedBy('filesystem:m 1');
    await client.call('requests.list', { state: 'accepted', limit: 5 });
    await client.getRequest('gwreq-1');
    await client.call('requests.cancel', { request_id: 'gwreq-1' });
    await client.call('reconciliation.get', {});
    await client.call('reconciliation.decide', { body: { keep: ['gwreq-1'] } });

    const routeOf = ({ method, url }: Seen) =>
      ROUTES.find(
        (route) =>
          route.method === method &&
          new RegExp(`^${route.path.replace(/\{\w+\}/, '[^/]+')}$`).test(url.split('?')[0]!),
      );
    for (const call of seen) {
      const route = routeOf(call);
      expect(route, `${call.method} ${call.url}`).toBeDefined();
      const isLeftOut = call.body === undefined && route!.bodyOptional === true;
      expect(call.body !== undefined || isLeftOut, route!.id).toBe(route!.body !== undefined);
      if (route!.body && !isLeftOut)
        expect(route!.body.safeParse(call.body).error, `${call.method} ${call.url}`).toBeUndefined();
    }
    const reached = new Set(seen.map((call) => routeOf(call)!.id));
    expect(ROUTES.map((route) => route.id).filter((id) => !reached.has(id))).toEqual([
      'metrics',
      'events',
      'mail.check',
    ]);
    expect(seen.find((call) => call.url.includes('a%2F'))!.url).toBe('/v1/reminders/a%2Fb%3Fc');
  });

  it('a gateway client returns the response of the gateway, with the instance id', async () => {
    const { port } = await gateway(json(200, { protocol_version: 'v1', status: 'ok', instance_id: 'i-1' }));
    expect((await clientOf(port).health()).instance_id).toBe('i-1');
  });

  it.each(['', '.', '..'])(
    'a gateway client refuses the reminder id %j before anything is sent',
    async (id) => {
      const { port, seen } = await gateway(json(200, {}));
      expect((await failureOfCall(clientOf(port).call('reminders.delete', { reminder_id: id }))).code).toBe(
        'invalid',
      );
      expect(seen).toEqual([]);
    },
  );
});

describe('the connection of a gateway client', () => {
  it('a gateway client goes to loopback when the gateway is bound to every address', async () => {
    const { port, seen } = await gateway(json(200, {}));
    await new GatewayClient({ host: '0.0.0.0', port }).status();
    expect(seen[0]!.headers.host).toBe(`127.0.0.1:${port}`);
  });

  it('carries the token as a bearer, and only when there is one', async () => {
    const { port, seen } = await gateway(json(200, {}));
    await clientOf(port, { token: 'secret' }).status();
    await clientOf(port).status();
    expect(seen.map((call) => call.headers.authorization)).toEqual(['Bearer secret', undefined]);
  });

  it.each(['a\nb', 'a b', '\u{1f600}'])(
    'a gateway client refuses the token %j without repeating it',
    async (token) => {
      const error = await failureOfCall(clientOf(1, { token }).status());
      expect(error.code).toBe('invalid');
      expect(error.message).not.toContain(token);
    },
  );

  it.each([0, -1, 65_536, 1.5, Number.NaN])('a gateway client refuses the port %s', (port) => {
    expect(() => clientOf(port)).toThrow('port must be an integer from 1 to 65535');
  });

  it('any Unicode and any size arrives as it was sent', async () => {
    const { port, seen } = await gateway(json(200, {}));
    const prompt = `é\u{1f642}\u2028\n${'x'.repeat(1_000_000)}`;
    await clientOf(port).submitPrompt({ prompt });
    expect(seen[0]!.body).toEqual({ kind: 'submit_prompt', payload: { prompt } });
  });
});

describe('a gateway client without a gateway at the other end', () => {
  it('reports a closed port as unavailable, with what to do', async () => {
    const server = net.createServer();
    const port = await listen(server);
    await closers.pop()!();
    const error = await failureOfCall(clientOf(port).status());
    expect(error).toMatchObject({ code: 'unavailable', facts: { errno: 'ECONNREFUSED', port } });
    expect(error.message).toBe(`no gateway is listening on 127.0.0.1:${port}`);
    expect(error.hint).toContain('rouse agents gateway attach');
  });

  it('a gateway client gives up on a silent server at the timeout; the error of a changing call says that its outcome is not known', async () => {
    const port = await listen(net.createServer());
    const look = await failureOfCall(clientOf(port, { timeoutMs: 30 }).status());
    expect(look).toMatchObject({ code: 'unavailable', facts: { errno: 'ETIMEDOUT' } });
    expect(look.message).toMatch(/did not answer within 30 ms$/);
    const change = await failureOfCall(clientOf(port).interrupt({}, { timeoutMs: 500 }));
    expect(change.message).toMatch(
      /did not answer within 500 ms; it is not known whether it accepted the request$/,
    );
  });

  it('a gateway client gives up at the timeout on a response that never ends', async () => {
    const { port } = await gateway((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      const drip = setInterval(() => response.write(' '), 5);
      response.on('close', () => clearInterval(drip));
    });
    expect((await failureOfCall(clientOf(port, { timeoutMs: 60 }).status())).facts['errno']).toBe(
      'ETIMEDOUT',
    );
  });

  it('reports a connection cut in the middle of a response as unavailable', async () => {
    const { port } = await gateway((_, response) => {
      response.writeHead(200, { 'content-length': 100 });
      response.write('{"a":', () => response.destroy());
    });
    expect((await failureOfCall(clientOf(port).status())).code).toBe('unavailable');
  });

  it('ends a call when it is aborted', async () => {
    const port = await listen(net.createServer());
    const abort = new AbortController();
    const call = failureOfCall(clientOf(port).status({ signal: abort.signal }));
    abort.abort();
    expect((await call).message).toContain('was cancelled');
    expect((await failureOfCall(clientOf(port).status({ signal: AbortSignal.abort() }))).message).toContain(
      'was cancelled',
    );
  });

  it.each<[string, Answer]>([
    ['text', (_, response) => void response.end('hello')],
    ['an empty body', (_, response) => void response.end()],
    ['a redirect', (_, response) => void response.writeHead(302, { location: '/elsewhere' }).end('{}')],
    ['a status without content', (_, response) => void response.writeHead(204).end()],
  ])('takes no server for a gateway that answers with %s', async (_title, answer) => {
    const { port, seen } = await gateway(answer);
    const error = await failureOfCall(clientOf(port).status());
    expect(error.code).toBe('unavailable');
    expect(error.message).toContain('it is not a gateway');
    expect(seen).toHaveLength(1);
  });

  it('a gateway client takes no server for a gateway that does not speak HTTP', async () => {
    const port = await listen(net.createServer((socket) => void socket.end('SSH-2.0-OpenSSH_9.2\r\n')));
    const error = await failureOfCall(clientOf(port).status());
    expect(error.code).toBe('unavailable');
    expect(error.message).toContain('it is not a gateway');
  });
});

describe('a refusal of a gateway', () => {
  it('a refusal of a gateway is thrown by the client as the error the gateway threw', async () => {
    const sent = notFound('no reminder "x"', { hint: 'List them.', facts: { reminder_id: 'x' } });
    const { status, body } = toHttp(sent);
    const { port } = await gateway(json(status, body));
    const error = await failureOfCall(clientOf(port).call('reminders.get', { reminder_id: 'x' }));
    expect(error).toMatchObject({ code: 'not_found', message: sent.message, hint: 'List them.' });
    expect(error.facts).toEqual({ reminder_id: 'x', http_status: 404 });
  });

  it.each([
    refusal('not_ready', 'busy', {
      facts: { detail: { status: 'error', error_code: 'not_ready' }, reasons: ['a'] },
    }),
    refusal('unsupported_backend', 'no'),
    refusal('mail_transport', 'store failed'),
    new RouseError('invalid', 'x is required', {
      facts: { issues: [{ type: 'missing', loc: ['body', 'x'], msg: 'is required', input: null }] },
    }),
  ])('loses nothing when it is passed on: %s', async (sent) => {
    const first = toHttp(sent);
    const { port } = await gateway(json(first.status, first.body));
    const error = await failureOfCall(clientOf(port).status());
    const again = toHttp(error);
    expect(again.status).toBe(first.status);
    expect(again.body.detail).toEqual(first.body.detail);
    expect(error).toMatchObject({ code: sent.code, message: sent.message });
  });

  it.each<[number, unknown, string, string]>([
    [404, { detail: 'Not Found' }, 'not_found', 'Not Found'],
    [409, { detail: { error_code: 'pending_input', detail: 'queued text' } }, 'not_ready', 'queued text'],
    [501, { detail: { error_code: 'unsupported_backend', detail: 'no' } }, 'unsupported', 'no'],
    [
      422,
      { detail: [{ loc: ['body', 'payload', 'prompt'], msg: 'must not be empty' }, { nonsense: 1 }] },
      'invalid',
      'payload.prompt must not be empty; is not valid',
    ],
    [503, { detail: 'gone' }, 'unavailable', 'gone'],
    [401, {}, 'unauthorized', 'the gateway answered with status 401'],
    [500, 'boom', 'internal', 'the gateway answered with status 500'],
    [502, undefined, 'unavailable', 'the gateway answered with status 502'],
    [418, [], 'invalid', 'the gateway answered with status 418'],
    [409, { detail: 'x', error: { code: 'made_up', message: 7, hint: {}, facts: [] } }, 'conflict', 'x'],
  ])('is understood when it has only the status %s and the body %j', async (status, body, code, message) => {
    const { port } = await gateway(
      (_, response) =>
        void response.writeHead(status).end(body === undefined ? '<html>' : JSON.stringify(body)),
    );
    const error = await failureOfCall(clientOf(port).status());
    expect(error).toMatchObject({ code, message, facts: { http_status: status } });
  });

  it('cannot write control characters to the terminal of its reader', async () => {
    const { port } = await gateway(
      json(409, { detail: '\u001b]0;x\u0007\u001b[2Jgone\r\nerror: x', error: { hint: '\u001b[31m' } }),
    );
    const error = await failureOfCall(clientOf(port).status());
    expect(`${error.message}${error.hint}`).not.toMatch(/[\u0000-\u001f\u007f-\u009f]/);
  });
});

it.each([
  ['/v1/status', '/houmao/agents/gpu/gateway'],
  ['/v1/requests', '/houmao/agents/gpu/gateway/requests'],
  ['/v1/control/prompt', '/houmao/agents/gpu/gateway/control/prompt'],
  ['/v1/control/send-keys', '/houmao/agents/gpu/gateway/control/send-keys'],
  ['/v1/control/headless/state', '/houmao/agents/gpu/gateway/control/headless/state'],
  ['/v1/control/tui/history?limit=5', '/houmao/agents/gpu/gateway/tui/history?limit=5'],
  ['/v1/mail-notifier', '/houmao/agents/gpu/gateway/mail-notifier'],
  ['/v1/reminders/r', '/houmao/agents/gpu/gateway/reminders/r'],
  ['/v1/mail/list', '/houmao/agents/gpu/mail/list'],
])('the gateway path %s of an agent is called at %s of the fleet server', async (path, expected) => {
  expect(fleetPath('gpu')(path)).toBe(expected);
  const { port, seen } = await gateway(json(200, {}));
  await clientOf(port, { pathOf: fleetPath('gpu') }).request('GET', path);
  expect(seen[0]!.url).toBe(expected);
});
