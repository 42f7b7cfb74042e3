import { once } from 'node:events';
import * as net from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from 'vitest';
import { Ending, silentLog } from '../base/index.ts';
import { Accounts, admit, carries, createApp, isOwner, listen } from './index.ts';
import { isLoopback, nameOf } from './sender.ts';

const ending = new Ending();
afterEach(() => ending.run());

/** A server on loopback with another name, an open route, a route with its own check, and routes that show who is the owner. */
async function server({ ownerToken }: { ownerToken?: string } = {}): Promise<number> {
  const accounts = new Accounts(ownerToken === undefined ? {} : { ownerOf: () => 'unaskable' });
  const app = createApp({ host: '127.0.0.1', hosts: ['fleet.example'], log: silentLog });
  app.use(
    admit({
      host: '127.0.0.1',
      accounts,
      hasToken: (context) => carries(context, 'good'),
      hasOwnersToken: (context) => ownerToken !== undefined && carries(context, ownerToken),
      tokenHint: 'ask for one',
      ownDoor: (path) => path === '/ui',
    }),
  );
  app.get('/health', (context) => context.text('ok'));
  app.all('*', (context) => context.text(isOwner(context) ? 'owner' : 'caller'));
  const listening = await listen({ app, accounts }, '127.0.0.1', 0);
  ending.add(() => listening.close());
  return listening.port;
}

/** Writes a request by hand and returns status, headers and body of the response. */
async function say(
  port: number,
  line: string,
  ...lines: string[]
): Promise<{ status: number; head: string; body: string }> {
  const socket = net.connect(port, '127.0.0.1');
  await once(socket, 'connect');
  socket.write(`${[line, 'Connection: close', ...lines].join('\r\n')}\r\n\r\n`);
  const [head = '', body = ''] = (await text(socket)).split('\r\n\r\n');
  return { status: Number(head.split(' ')[1]), head, body };
}

const HOST = 'Host: 127.0.0.1';
const asked = (port: number, ...lines: string[]) => say(port, 'GET /act HTTP/1.1', ...lines);

describe('a program of the own account on loopback is the owner', () => {
  it.each(['127.0.0.1', '127.0.0.1:9889', '127.8.9.1', 'localhost', 'LocalHost:1', '[::1]', '[::1]:9889'])(
    'under Host %s',
    async (host) => {
      expect(await asked(await server(), `Host: ${host}`)).toMatchObject({
        status: 200,
        body: expect.stringContaining('owner'),
      });
    },
  );

  it("a program of the own account on loopback is the owner with Node's own fetch, which sends Sec-Fetch-Mode and no other header of a browser", async () => {
    const answer = await fetch(`http://127.0.0.1:${await server()}/act`, { method: 'POST' });
    expect([answer.status, await answer.text()]).toEqual([200, 'owner']);
  });
});

describe('a request of the own account needs a token', () => {
  it.each([
    ['under a name that the server was given', ['Host: fleet.example'], 'not a loopback name'],
    ['with Forwarded', [HOST, 'Forwarded: for=127.0.0.1'], 'through a proxy'],
    ['with an empty Forwarded', [HOST, 'FORWARDED:'], 'through a proxy'],
    ['with X-Forwarded-For', [HOST, 'X-Forwarded-For: 127.0.0.1'], 'through a proxy'],
    ['with two of them', [HOST, 'x-forwarded-for:', 'x-forwarded-for: ::1'], 'through a proxy'],
    ['with any X-Forwarded header', [HOST, 'x-forwarded-tls-client-cert: x'], 'through a proxy'],
    ['with X-Forwarded', [HOST, 'X-Forwarded: x'], 'through a proxy'],
    ['with X-Real-IP', [HOST, 'x-ReAl-iP: 127.0.0.1'], 'through a proxy'],
    ['with Via', [HOST, 'Via: 1.1 vegur'], 'through a proxy'],
    ['with Origin', [HOST, 'Origin: http://127.0.0.1'], 'from a browser'],
    ['with Sec-Fetch-Site', [HOST, 'Sec-Fetch-Site: none'], 'from a browser'],
    ['with Sec-Fetch-Mode of a browser', [HOST, 'Sec-Fetch-Mode: navigate'], 'from a browser'],
    [
      'with Sec-Fetch-Mode among others',
      [HOST, 'Sec-Fetch-Mode: cors', 'Sec-Fetch-Dest: empty'],
      'from a browser',
    ],
  ])('%s', async (_, lines, why) => {
    const port = await server();
    const answer = await asked(port, ...lines);
    expect([answer.status, answer.body]).toEqual([401, expect.stringContaining(why)]);
    expect(answer.head).toMatch(/^www-authenticate: Bearer\r?$/im);
    expect((await asked(port, ...lines, 'Authorization: Bearer good')).body).toContain('caller');
    expect((await say(port, 'GET /health HTTP/1.1', ...lines)).status).toBe(200);
    expect((await say(port, 'GET /ui HTTP/1.1', ...lines)).body).toContain('caller');
  });

  it.each([
    ['asks for an absolute URL', 'GET http://127.0.0.1/act HTTP/1.1', [HOST], 401],
    ['asks for an absolute URL elsewhere', 'GET http://fleet.example/act HTTP/1.1', [HOST], 401],
    ['speaks HTTP/1.0', 'GET /act HTTP/1.0', [HOST], 401],
    ['speaks HTTP/1.0 and names no Host', 'GET /act HTTP/1.0', [], 400],
    ['names no Host', 'GET /act HTTP/1.1', [], 400],
    ['names an empty Host', 'GET /act HTTP/1.1', ['Host:'], 400],
    ['names two Hosts', 'GET /act HTTP/1.1', [HOST, 'Host: fleet.example'], 403],
    [
      'wants a web socket through a proxy',
      'GET /act HTTP/1.1',
      [HOST, 'Upgrade: websocket', 'Via: 1.1 x'],
      401,
    ],
  ])('when it %s', async (_, line, headers, status) => {
    expect((await say(await server(), line, ...headers)).status).toBe(status);
  });

  it("when the owner's token is shown through a proxy or a browser", async () => {
    const port = await server({ ownerToken: 'owners' });
    const own = 'Authorization: Bearer owners';
    expect((await asked(port, HOST, own)).body).toContain('owner');
    expect((await asked(port, HOST)).status).toBe(401);
    for (const line of ['Via: 1.1 x', 'Origin: http://127.0.0.1', 'X-Forwarded-For:'])
      expect((await asked(port, HOST, own, line)).status).toBe(401);
    expect((await asked(port, 'Host: fleet.example', own)).status).toBe(401);
  });
});

describe('a POST without a body', () => {
  const post = (port: number, ...lines: string[]) => say(port, 'POST /act HTTP/1.1', HOST, ...lines);

  it('a POST without a body is accepted from a program', async () => {
    const port = await server();
    expect((await post(port)).status).toBe(200);
    expect((await post(port, 'Content-Length: 0')).status).toBe(200);
    expect((await post(port, 'Authorization: Bearer good')).status).toBe(200);
  });

  /** As Python's urllib sends nothing. */
  const EMPTY_FORM = ['Content-Type: application/x-www-form-urlencoded', 'Content-Length: 0'];
  const postForm = (port: number, ...lines: string[]) => post(port, ...EMPTY_FORM, ...lines);

  it('a POST without a body is taken of a program that gives it the type of a form, and not of a browser', async () => {
    const port = await server();
    expect((await postForm(port)).status).toBe(200);
    expect((await postForm(port, 'User-Agent: Python-urllib/3.13')).status).toBe(200);
    for (const line of [
      'Origin: null',
      'Origin: http://evil.example',
      'Sec-Fetch-Site: cross-site',
      'Sec-Fetch-Mode: navigate',
      // Old enough to name no origin.
      'User-Agent: Mozilla/5.0 (X11; Linux x86_64; rv:60.0) Gecko/20100101 Firefox/60.0',
    ])
      expect([403, 415]).toContain((await postForm(port, line)).status);
  });

  it.each([
    ['Origin: http://127.0.0.1'],
    ['Sec-Fetch-Site: same-origin'],
    ['Sec-Fetch-Mode: no-cors'],
    ['Content-Type: text/plain'],
    ['Content-Type: multipart/form-data; boundary=x'],
    ['Content-Type: application/x-www-form-urlencoded; charset=utf-8'],
    ['Content-Type:'],
  ])('is refused with "%s"', async (line) => {
    const port = await server();
    expect((await post(port, line)).status).toBe(415);
    expect((await post(port, line, 'Authorization: Bearer good')).status).toBe(415);
  });

  it('a POST without a body is refused when its headers announce a body', async () => {
    const port = await server();
    expect((await post(port, 'Content-Length: 2', '', '{}')).status).toBe(415);
    expect((await post(port, 'Transfer-Encoding: chunked', '', '0')).status).toBe(415);
    const form = 'Content-Type: application/x-www-form-urlencoded';
    expect((await post(port, form, 'Content-Length: 3', '', 'a=1')).status).toBe(415);
    expect((await post(port, form, 'Transfer-Encoding: chunked', '', '0')).status).toBe(415);
  });
});

it.each([
  ['127.0.0.1:80', '127.0.0.1', true],
  ['[::1]:80', '::1', true],
  ['127.0.0.1.', '127.0.0.1.', false],
  ['localhost.', 'localhost.', false],
  ['localhost.evil.example', 'localhost.evil.example', false],
  ['127.1', '127.1', false],
  ['0.0.0.0', '0.0.0.0', false],
  ['[::ffff:127.0.0.1]', '::ffff:127.0.0.1', false],
  ['[127.0.0.1', '', false],
  ['[localhost]', '', false],
  ['127.0.0.1:', '', false],
  ['127.0.0.1, fleet.example', '', false],
  ['a@127.0.0.1', '', false],
  ['', '', false],
])('the Host header "%s" is the name "%s"; loopback: %s', (header, name, loopback) => {
  expect([nameOf(header), isLoopback(nameOf(header))]).toEqual([name, loopback]);
});
