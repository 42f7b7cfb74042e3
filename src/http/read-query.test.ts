import { Hono } from 'hono';
import { expect, it } from 'vitest';
import * as z from 'zod';
import { isRouseError } from '../base/index.ts';
import { GATEWAY_ROUTES } from '../wire/index.ts';
import { readQuery } from './read-query.ts';

async function read(schema: z.ZodObject, query: string): Promise<unknown> {
  const app = new Hono();
  app.get('/', (context) => context.json(readQuery(context, schema)));
  app.onError((error, context) => context.json(isRouseError(error) ? error.message : String(error), 422));
  return (await app.request(`/${query}`)).json();
}

const history = GATEWAY_ROUTES['tui.history'].query;

it.each([
  ['', { limit: 100 }],
  ['?limit=5', { limit: 5 }],
  ['?limit=0', { limit: 0 }],
  ['?limit=-1', { limit: -1 }],
  ['?limit=7&other=1', { limit: 7 }],
])('the history query "%s" is %j', async (query, value) => {
  expect(await read(history, query)).toEqual(value);
});

it.each(['all', '1.5', '', '99999999999999', '0x10', '1e3'])('a limit of "%s" is refused', async (limit) => {
  expect(await read(history, `?limit=${limit}`)).toBe(
    'limit must be a whole number from -1000000 to 1000000',
  );
});

it('a query takes words from a list only, and knows only what is named where it is strict', async () => {
  const schema = z.strictObject({ state: z.enum(['open', 'closed']).optional() });
  expect(await read(schema, '?state=open')).toEqual({ state: 'open' });
  expect(await read(schema, '?state=Open')).toBe('state must be one of "open", "closed"');
  expect(await read(schema, '?stat=open')).toMatch('stat is not a known field');
});
