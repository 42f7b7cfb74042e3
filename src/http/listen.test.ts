import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Server } from 'node:http';
import * as net from 'node:net';
import { Hono } from 'hono';
import { afterEach, expect, it } from 'vitest';
import { LIMITS, setLimits } from '../domain/index.ts';
import { Accounts } from './accounts.ts';
import { listen } from './listen.ts';

it('a server survives connections that it cannot accept', async () => {
  const app = new Hono().get('/', (context) => context.text('here'));
  const { port, close } = await listen({ app, accounts: new Accounts() }, '127.0.0.1', 0);
  const ask = async (): Promise<string> => (await fetch(`http://127.0.0.1:${port}/`)).text();
  let server: Server | undefined;
  const see = (message: unknown): void => {
    ({ server } = message as { server: Server });
  };
  subscribe('http.server.request.start', see);
  try {
    expect(await ask()).toBe('here');
    for (const code of ['EMFILE', 'ENFILE', 'ENOMEM'])
      server!.emit('error', Object.assign(new Error(`accept ${code}`), { code, syscall: 'accept' }));
    expect(await ask()).toBe('here');
  } finally {
    unsubscribe('http.server.request.start', see);
    await close();
  }
});

it('every response has no-store and nosniff unless it sets its own, also before there is an app', async () => {
  const app = new Hono()
    .get('/', (context) => context.json({}))
    .get('/whole', () => Response.json({}))
    .get('/kept', () => new Response('', { headers: { 'cache-control': 'max-age=60' } }));
  const door = { app: undefined as Hono | undefined, accounts: new Accounts() };
  const { port, close } = await listen(door, '127.0.0.1', 0);
  const headersOf = async (path: string): Promise<unknown[]> => {
    const { status, headers } = await fetch(`http://127.0.0.1:${port}${path}`);
    return [status, headers.get('cache-control'), headers.get('x-content-type-options')];
  };
  try {
    expect(await headersOf('/')).toEqual([503, 'no-store', 'nosniff']);
    door.app = app;
    expect(await headersOf('/')).toEqual([200, 'no-store', 'nosniff']);
    expect(await headersOf('/whole')).toEqual([200, 'no-store', 'nosniff']);
    expect(await headersOf('/kept')).toEqual([200, 'max-age=60', 'nosniff']);
    expect(await headersOf('/nowhere')).toEqual([404, 'no-store', 'nosniff']);
  } finally {
    await close();
  }
});

const { variable, standard } = LIMITS.connections;
afterEach(() => setLimits({ [variable]: String(standard) }));

it('connections without a request are closed for those with one, the oldest first', async () => {
  setLimits({ [variable]: '40' });
  let answerHeld = (): void => {};
  const held = new Promise<void>((resolve) => (answerHeld = resolve));
  let arrived = (): void => {};
  const isHeld = new Promise<void>((resolve) => (arrived = resolve));
  const app = new Hono()
    .get('/', (context) => context.text('here'))
    .get('/held', async (context) => {
      arrived();
      await held;
      return context.text('held');
    });
  const { port, close } = await listen({ app, accounts: new Accounts() }, '127.0.0.1', 0);
  const ask = async (path: string): Promise<string> =>
    (await fetch(`http://127.0.0.1:${port}${path}`)).text();
  const sockets: net.Socket[] = [];
  const closed: number[] = [];
  try {
    const waiting = ask('/held');
    await isHeld;
    for (let n = 0; n < 120; n++) {
      const socket = net.connect(port, '127.0.0.1');
      socket.on('error', () => {}).once('close', () => closed.push(n));
      sockets.push(socket);
      await new Promise((resolve) => socket.once('connect', resolve).once('close', resolve));
      if (n % 20 === 0) expect(await ask('/')).toBe('here');
    }
    expect(await ask('/')).toBe('here');
    expect(closed.length).toBeGreaterThan(70);
    expect(closed.slice(0, 40)).toEqual([...closed.slice(0, 40)].sort((a, b) => a - b));
    answerHeld();
    expect(await waiting).toBe('held');
  } finally {
    answerHeld();
    for (const socket of sockets) socket.destroy();
    await close();
  }
});
