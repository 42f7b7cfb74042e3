import * as http from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import { silentLog } from '../base/index.ts';
import { Accounts } from './accounts.ts';
import { createApp } from './create-app.ts';
import { type Listening, listen } from './listen.ts';
import { seenAs, TrustedProxies } from './seen-as.ts';

let listening: Listening | undefined;
afterEach(() => listening?.close());

/** How a server that trusts these proxies sees a request with these headers. */
async function seen(proxies: string[], headers: Record<string, string>): Promise<unknown> {
  const options = { host: '127.0.0.1', hosts: ['fleet.example'], proxies: new TrustedProxies(proxies) };
  const app = createApp({ ...options, log: silentLog });
  app.get('/', (context) => context.json(seenAs(context)));
  listening = await listen({ app, accounts: new Accounts() }, '127.0.0.1', 0);
  const { port } = listening;
  const text = await new Promise<string>((resolve, reject) => {
    http
      .get({ host: '127.0.0.1', port, path: '/', headers }, async (response) => {
        let body = '';
        for await (const part of response) body += part;
        resolve(body);
      })
      .on('error', reject);
  });
  await listening.close();
  return JSON.parse(text);
}

const FORWARDED = {
  'x-forwarded-for': '6.6.6.6, 203.0.113.9',
  'x-forwarded-proto': 'https',
  'x-forwarded-host': 'fleet.example',
};

describe('forwarded headers', () => {
  it('forwarded headers of a trusted proxy set caller, name and scheme', async () => {
    const expected = { address: '203.0.113.9', host: 'fleet.example', scheme: 'https' };
    expect(await seen(['127.0.0.1'], FORWARDED)).toEqual(expected);
    expect(await seen(['127.0.0.0/8'], FORWARDED)).toEqual(expected);
  });

  it('forwarded headers of any other caller have no effect', async () => {
    for (const proxies of [[], ['10.0.0.1'], ['::1']])
      expect(await seen(proxies, FORWARDED)).toMatchObject({ address: '127.0.0.1', scheme: 'http' });
  });

  it('name the last address that is no trusted proxy; what the caller wrote before it is ignored', async () => {
    const through = { ...FORWARDED, 'x-forwarded-for': '6.6.6.6, 203.0.113.9, 10.0.0.7' };
    expect(await seen(['127.0.0.1', '10.0.0.0/8'], through)).toMatchObject({ address: '203.0.113.9' });
    expect(await seen(['127.0.0.1'], { 'x-forwarded-for': 'nonsense' })).toMatchObject({
      address: '127.0.0.1',
    });
  });

  it('forwarded headers do not weaken the guard: a page of another origin is refused behind a proxy too', async () => {
    const foreign = await seen(['127.0.0.1'], { ...FORWARDED, origin: 'https://evil.example' });
    expect(JSON.stringify(foreign)).toContain('other origins');
    const own = { ...FORWARDED, origin: 'https://fleet.example' };
    expect(await seen(['127.0.0.1'], own)).toMatchObject({ scheme: 'https' });
    const elsewhere = await seen(['127.0.0.1'], { ...FORWARDED, 'x-forwarded-host': 'evil.example' });
    expect(JSON.stringify(elsewhere)).toContain('is not this server');
  });

  it.each(['nonsense', '10.0.0.0/33', '10.0.0.0/0', '::1/129', '1.2.3.4/5/6', ''])(
    'refuse the trusted proxy "%s"',
    (text) => {
      expect(() => new TrustedProxies([text])).toThrow('neither an IP address');
    },
  );
});
