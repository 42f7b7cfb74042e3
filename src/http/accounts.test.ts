import { spawn } from 'node:child_process';
import * as net from 'node:net';
import type { Context } from 'hono';
import { afterEach, describe, expect, it } from 'vitest';
import { Ending, silentLog } from '../base/index.ts';
import { Accounts, admit, createApp, isOwner, listen } from './index.ts';

const ending = new Ending();
afterEach(() => ending.run());

const OTHER = 64_123;
const PROGRAM = { 'x-rouse': '1' };
const isRoot = process.getuid?.() === 0;

async function server(
  accounts = new Accounts(),
  host = '127.0.0.1',
): Promise<{ port: number; reached: () => number }> {
  let reached = 0;
  const app = createApp({ host: '127.0.0.1', log: silentLog });
  app.use(admit({ host, accounts, hasToken: hasGoodToken, tokenHint: 'ask' }));
  app.get('/health', (context) => context.text('ok'));
  app.post('/type', (context) => {
    reached++;
    return context.json({ owner: isOwner(context) });
  });
  const listening = await listen({ app, accounts }, host, 0);
  ending.add(() => listening.close());
  return { port: listening.port, reached: () => reached };
}

const hasGoodToken = (context: Context): boolean => context.req.header('authorization') === 'Bearer good';

/** Runs JavaScript as another account of this machine and returns what it printed. */
function asOther(script: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ['-e', script], { uid: OTHER, gid: OTHER, cwd: '/', env: {} });
    let output = '';
    child.stdout.on('data', (part) => {
      output += part;
    });
    child.stderr.on('data', (part) => {
      output += part;
    });
    child.on('error', reject);
    child.on('close', () => resolve(output));
  });
}

const posting = (port: number, headers = {}): string =>
  `fetch('http://127.0.0.1:${port}/type', { method: 'POST', headers: ${JSON.stringify({ ...PROGRAM, ...headers })} })
    .then(async (r) => console.log(r.status, (await r.json()).error?.facts?.error_code ?? ''))`;

describe('a POST', () => {
  it.each([
    [{ 'content-type': 'text/plain' }],
    [{ 'content-type': 'application/x-www-form-urlencoded' }],
    [{ 'content-type': 'multipart/form-data; boundary=x' }],
  ])('that the form of a web page could send is refused, with and without a body: %j', async (headers) => {
    const { port, reached } = await server();
    for (const body of [undefined, 'a=1']) {
      const answer = await fetch(`http://127.0.0.1:${port}/type`, {
        method: 'POST',
        headers: { ...headers, 'user-agent': 'Mozilla/5.0' },
        ...(body && { body }),
      });
      expect(answer.status).toBe(415);
    }
    expect(reached()).toBe(0);
  });
});

describe('a caller on loopback', () => {
  it('a caller on loopback is admitted as the owner when the connection is from the own account', async () => {
    const { port } = await server();
    const answer = await fetch(`http://127.0.0.1:${port}/type`, { method: 'POST', headers: PROGRAM });
    expect([answer.status, await answer.json()]).toEqual([200, { owner: true }]);
  });

  it('a caller on loopback is recognised over IPv6, and over IPv4 mapped into IPv6', async () => {
    const six = await server(new Accounts(), '::1');
    expect((await fetch(`http://[::1]:${six.port}/type`, { method: 'POST', headers: PROGRAM })).status).toBe(
      200,
    );
    const accounts = new Accounts();
    const seen = new Promise<string>((resolve) => {
      const both = net.createServer((socket) => {
        resolve(`${socket.remoteAddress} ${accounts.of(socket)}`);
        socket.destroy();
      });
      ending.add(() => void both.close());
      both.listen(0, '::', () =>
        net.connect((both.address() as net.AddressInfo).port, '127.0.0.1').on('error', () => {}),
      );
    });
    expect(await seen).toBe('::ffff:127.0.0.1 own');
  });

  it('needs a token where the kernel cannot be asked', async () => {
    const { port, reached } = await server(new Accounts({ ownerOf: () => 'unaskable' }));
    expect((await fetch(`http://127.0.0.1:${port}/type`, { method: 'POST', headers: PROGRAM })).status).toBe(
      401,
    );
    expect(reached()).toBe(0);
    const headers = { authorization: 'Bearer good' };
    expect(
      (await fetch(`http://127.0.0.1:${port}/type`, { method: 'POST', headers: { ...PROGRAM, ...headers } }))
        .status,
    ).toBe(200);
  });

  it('a caller on loopback is refused when its socket has lost its owner, and never taken for root', async () => {
    const { port, reached } = await server(new Accounts({ ownerOf: () => 'none' }));
    const answer = await fetch(`http://127.0.0.1:${port}/type`, { method: 'POST', headers: PROGRAM });
    expect(answer.status).toBe(403);
    expect(reached()).toBe(0);
  });

  it('cannot take every place from the owner, however many connections another account holds', async () => {
    const ownerOf = (ends: { remoteAddress?: string | undefined }): number =>
      ends.remoteAddress === '127.0.0.2' ? OTHER : process.getuid!();
    const { port } = await server(new Accounts({ ownerOf }));
    const held = Array.from({ length: 40 }, () =>
      net.connect({ port, host: '127.0.0.1', localAddress: '127.0.0.2' }).on('error', () => {}),
    );
    ending.add(() => held.forEach((socket) => void socket.destroy()));
    await expect.poll(() => held.filter((socket) => socket.closed).length).toBe(24);
    const answer = await fetch(`http://127.0.0.1:${port}/type`, { method: 'POST', headers: PROGRAM });
    expect(answer.status).toBe(200);
    for (const socket of held) socket.destroy();
    await expect
      .poll(async () => {
        const late = net
          .connect({ port, host: '127.0.0.1', localAddress: '127.0.0.2' })
          .on('error', () => {});
        late.write('GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n');
        return (
          await late
            .setEncoding('utf8')
            .toArray()
            .catch(() => [])
        ).join('');
      })
      .toContain('200 OK');
  });

  it('a caller on loopback is not taken for the own account when the kernel cannot show its uid', () => {
    const unmapped = new Accounts({ ownUid: 65_534, ownerOf: () => 65_534 });
    expect(unmapped.of(new net.Socket())).toBe('other');
  });

  describe.skipIf(!isRoot)('as another account (needs root to become one)', () => {
    it('another account on loopback is refused on every route but /health', async () => {
      const { port, reached } = await server();
      expect((await asOther(posting(port))).trim()).toBe('403 other_account');
      expect(reached()).toBe(0);
      const health = `fetch('http://127.0.0.1:${port}/health').then((r) => console.log(r.status))`;
      expect((await asOther(health)).trim()).toBe('200');
    });

    it('another account on loopback is admitted with a valid token', async () => {
      const { port, reached } = await server();
      expect((await asOther(posting(port, { authorization: 'Bearer good' }))).trim()).toBe('200');
      expect((await asOther(posting(port, { authorization: 'Bearer bad' }))).trim()).toBe(
        '403 other_account',
      );
      expect(reached()).toBe(1);
    });

    it('needs a token when it was admitted by name', async () => {
      const { port, reached } = await server(new Accounts({ guests: new Set([OTHER]) }));
      expect((await asOther(posting(port))).trim()).toMatch(/^401/);
      expect((await asOther(posting(port, { authorization: 'Bearer good' }))).trim()).toBe('200');
      expect(reached()).toBe(1);
    });

    it('gets no request through by sending it and closing at once', async () => {
      const { port, reached } = await server();
      const request = `POST /type HTTP/1.1\\r\\nHost: 127.0.0.1\\r\\nX-Rouse: 1\\r\\nContent-Length: 0\\r\\n\\r\\n`;
      const closing = `const net = require('net'); let left = 300;
        const next = () => { if (left-- === 0) return console.log('done');
          const s = net.connect(${port}, '127.0.0.1', () => { s.write('${request}'.repeat(3)); left % 2 ? s.destroy() : s.resetAndDestroy(); });
          s.on('close', next); s.on('error', () => {}); };
        next();`;
      expect((await asOther(closing)).trim()).toBe('done');
      expect((await fetch(`http://127.0.0.1:${port}/health`)).status).toBe(200);
      expect(reached()).toBe(0);
    });
  });
});
