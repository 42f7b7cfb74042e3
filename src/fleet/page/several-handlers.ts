import type { Hono } from 'hono';
import type { Handlers } from '../../http/index.ts';
import { PAGE_ROOT, type PAGE_ROUTES } from '../../wire/index.ts';
import type { PageDoor } from './door/page-door.ts';

/**
 * Runs several queries in one request, so that a change costs a view one request however much it shows. Each query runs
 * through its own route, for the same session: nothing is returned that the caller could not request alone.
 */
export function severalHandlers(
  app: Hono,
  door: PageDoor,
): Handlers<Pick<typeof PAGE_ROUTES, 'page.several'>> {
  return {
    'page.several': async ({ context, query }) => {
      door.require(context);
      const { headers } = context.req.raw;
      const answered = async (path: string) => {
        const request = new Request(new URL(`${PAGE_ROOT}api/${path}`, context.req.url), { headers });
        const response = await app.fetch(request, context.env);
        return { status: response.status, body: (await response.json()) as unknown };
      };
      return { answers: await Promise.all(query().ask.split('\n').map(answered)) };
    },
  };
}
