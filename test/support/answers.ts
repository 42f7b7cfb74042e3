import type { Route, Routes } from '../../src/wire/index.ts';

type Documented = { responses: Record<string, { content?: Record<string, unknown> }> };
export type OpenApi = { paths: Record<string, Record<string, Documented>> };

/** What the server's document lacks about a response: its status, or its content type. */
export function undocumentedIn(
  document: OpenApi,
  routes: Routes,
  { method, target }: { method: string; target: string },
  { status, type }: Pick<Answer, 'status' | 'type'>,
): string | undefined {
  const route = routeOf(routes, method, target);
  const operation = route && document.paths[route.path]?.[method.toLowerCase()];
  if (!operation) return undefined;
  const response = operation.responses[status];
  if (!response) return `${method} ${route.path}: ${status} is not documented`;
  if (!type || response.content?.[type.split(';')[0]!]) return undefined;
  return `${method} ${route.path}: ${status} as ${type} is not documented`;
}

/** What is wrong with the response of a successful call, according to the row of its route. */
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

/** A fixed word of a path, before a parameter. */
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
  /** JSON parsed, other text as it is, undefined if empty. */
  body: unknown;
  /** The content type, if there is content. */
  type?: string | undefined;
  /** An endless stream of events; the test waited only for its beginning. */
  stream?: boolean;
}
