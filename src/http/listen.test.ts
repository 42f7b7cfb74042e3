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
