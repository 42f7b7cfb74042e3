import type { Route, Routes } from '../../src/wire/index.ts';

/** What is wrong with the answer to a call that succeeded, by the row of the route that it went to. */
export function problemOf(
  routes: Routes,
  { method, target }: { method: string; target: string },
  { status, body, stream }: Answer,
): string | undefined {
  const route = routeOf(routes, method, target);
  if (!route) return 'no route is there, and it was answered';
  if (stream) return undefined;
  const expected = route.statusOf?.(body as never) ?? route.status ?? 200;
  if (route.method !== 'ALL' && status !== expected) return `status ${status}, not ${expected}`;
  const { error } = route.response.safeParse(body);
  return (
    error &&
    `${route.id}: ${error.issues.map((each) => `${each.path.join('.')}: ${each.message}`).join('; ')}`
  );
}

/** A fixed word before a parameter in its place. */
export function routeOf(routes: Routes, method: string, target: string): Route | undefined {
  const { pathname } = new URL(target, 'http://server');
  const fits = Object.values<Route>(routes).filter(
    (route) =>
      (route.method === 'ALL' || route.method === method) &&
      new RegExp(`^${route.path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(pathname),
  );
  return fits.sort((a, b) => (a.path < b.path ? -1 : 1))[0];
}

export interface Answer {
  status: number;
  /** JSON as what it says, other text as it is, undefined for nothing. */
  body: unknown;
  /** Events without an end, of which only the beginning was waited for. */
  stream?: boolean;
}
