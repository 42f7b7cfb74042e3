import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Server } from 'node:http';
import { Hono } from 'hono';
import { expect, it } from 'vitest';
import { Accounts } from './accounts.ts';
import { listen } from './listen.ts';

it('a server outlives every connection that it cannot take', async () => {
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

it('every answer says that it is neither kept nor guessed at, also before there is an app, unless it says otherwise itself', async () => {
  const app = new Hono()
    .get('/', (context) => context.json({}))
    .get('/whole', () => Response.json({}))
    .get('/kept', () => new Response('', { headers: { 'cache-control': 'max-age=60' } }));
  const door = { app: undefined as Hono | undefined, accounts: new Accounts() };
  const { port, close } = await listen(door, '127.0.0.1', 0);
  const said = async (path: string): Promise<unknown[]> => {
    const { status, headers } = await fetch(`http://127.0.0.1:${port}${path}`);
    return [status, headers.get('cache-control'), headers.get('x-content-type-options')];
  };
  try {
    expect(await said('/')).toEqual([503, 'no-store', 'nosniff']);
    door.app = app;
    expect(await said('/')).toEqual([200, 'no-store', 'nosniff']);
    expect(await said('/whole')).toEqual([200, 'no-store', 'nosniff']);
    expect(await said('/kept')).toEqual([200, 'max-age=60', 'nosniff']);
    expect(await said('/nowhere')).toEqual([404, 'no-store', 'nosniff']);
  } finally {
    await close();
  }
});
