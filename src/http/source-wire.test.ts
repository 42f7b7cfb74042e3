import type { Hono } from 'hono';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { silentLog } from '../base/index.ts';
import { name, strict } from '../wire/fields.ts';
import { refusal } from '../wire/index.ts';
import { routes } from '../wire/route.ts';
import { ours, ourValues } from '../wire/source/ours.ts';
import { createApp } from './create-app.ts';
import { serve } from './serve.ts';

const inner = strict({ kept: z.string(), added: ours(z.string().optional()) });
const answer = name(
  'Tried',
  strict({
    kept: z.string(),
    mode: ourValues({ new: 'old' }, z.string()),
    added: ours(z.string()),
    list: z.array(inner),
    one: inner.nullable(),
  }),
);
const row = { tag: 't', summary: 's', access: 'everybody', response: answer } as const;
const ROUTES = routes(
  { whole: 'GET /whole', stream: 'GET /stream', carried: 'GET /carried', own: 'GET /own', bad: 'GET /bad' },
  { whole: row, stream: row, carried: row, own: { ...row, ours: true }, bad: row },
);
const WHOLE = { kept: 'k', mode: 'new', added: 'a', list: [{ kept: 'k', added: 'a' }], one: null };
const LEFT = { kept: 'k', mode: 'old', list: [{ kept: 'k' }], one: null };

function app(wire: 'rouse' | 'houmao'): Hono {
  const made = createApp({ host: '127.0.0.1', log: silentLog, wire });
  serve(made, ROUTES, {
    whole: () => WHOLE,
    own: () => WHOLE,
    carried: () => Response.json(WHOLE, { headers: { 'retry-after': '3' } }),
    stream: () => {
      const text = `id: 1\nevent: x\ndata: ${JSON.stringify(WHOLE)}\n\n: alive\n\ndata: ${JSON.stringify(WHOLE)}\n\n`;
      // In pieces that end anywhere.
      const parts = [text.slice(0, 31), text.slice(31, 90), text.slice(90)];
      const body = new ReadableStream({
        start(out) {
          for (const part of parts) out.enqueue(new TextEncoder().encode(part));
          out.close();
        },
      });
      return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
    },
    bad: () => {
      throw refusal('not_ready', 'not now', { hint: 'later' });
    },
  });
  return made;
}

const ask = (wire: 'rouse' | 'houmao', path: string, headers: Record<string, string> = {}) =>
  app(wire).request(`http://127.0.0.1${path}`, { headers: { host: '127.0.0.1', ...headers } });

describe('with ROUSE_WIRE=houmao, our fields', () => {
  it.each(['/whole', '/carried'])(
    'with ROUSE_WIRE=houmao, our fields are left out of %s for clients of the source',
    async (path) => {
      const response = await ask('houmao', path);
      expect([response.status, await response.json()]).toEqual([200, LEFT]);
      if (path === '/carried') expect(response.headers.get('retry-after')).toBe('3');
    },
  );

  it('with ROUSE_WIRE=houmao, our fields are left out of the data of events, and the rest of the stream stays', async () => {
    const data = `data: ${JSON.stringify(LEFT)}`;
    expect(await (await ask('houmao', '/stream')).text()).toBe(
      `id: 1\nevent: x\n${data}\n\n: alive\n\n${data}\n\n`,
    );
  });

  it('with ROUSE_WIRE=houmao, our fields are left out of errors, which keep their status', async () => {
    const response = await ask('houmao', '/bad');
    expect([response.status, await response.json()]).toEqual([409, { detail: 'not now' }]);
    expect(await (await ask('houmao', '/nowhere')).json()).toEqual({ detail: 'no such route: /nowhere' });
  });

  it.each([
    ['when the mode is rouse', 'rouse', {}],
    ['for our own programs', 'houmao', { 'x-rouse': '1' }],
  ] as const)('are present %s', async (_, wire, headers) => {
    expect(await (await ask(wire, '/whole', headers)).json()).toEqual(WHOLE);
    expect(await (await ask(wire, '/bad', headers)).json()).toMatchObject({ error: { hint: 'later' } });
  });

  it('stay in responses of routes that only we have', async () => {
    expect(await (await ask('houmao', '/own')).json()).toEqual(WHOLE);
  });
});
