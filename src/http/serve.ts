import type { Context, Hono } from 'hono';
import type { AnswerOf, BodyOf, ParamsOf, QueryOf, Route, Routes } from '../wire/index.ts';
import { readBody, readOptionalBody } from './read-body.ts';
import { readQuery } from './read-query.ts';
import { reached } from './source-wire.ts';

/**
 * One request to a route. Query and body are read and checked when the handler calls these methods, so that it can check
 * the caller first: a stranger is refused before any of its input is read.
 */
export interface Call<R extends Route> {
  context: Context;
  params: ParamsOf<R>;
  query(): QueryOf<R>;
  body(): Promise<BodyOf<R>>;
}

/** A handler may return a Date where the row has text: JSON turns it into text. */
type Writable<T> = T extends unknown
  ? string extends T
    ? T | Date
    : T extends object
      ? { [K in keyof T]: Writable<T[K]> }
      : T
  : never;
type Answer<R extends Route> = AnswerOf<R> | Writable<AnswerOf<R>> | Response;

/** Returns what the row promises, or a `Response` when that is a stream or not JSON. */
export type Handler<R extends Route> = (call: Call<R>) => Answer<R> | Promise<Answer<R>>;

/** One handler for each route; a missing one or one too many does not compile. */
export type Handlers<Rs extends Routes> = { [K in keyof Rs]: Handler<Rs[K]> };

/** Serves routes. This is the only place that adds routes to an app. */
export function serve<Rs extends Routes>(app: Hono, routes: Rs, handlers: Handlers<NoInfer<Rs>>): void {
  // "{" sorts after every letter, so a fixed word is tried before a parameter in its place.
  const inOrder = Object.values<Route>(routes).sort((a, b) => (a.path < b.path ? -1 : 1));
  for (const route of inOrder) {
    const handle = handlers[route.id] as Handler<Route>;
    const path = route.path.replaceAll(/\{(\w+)\}/g, ':$1');
    app.on(route.method, route.orSlash ? [path, `${path}/`] : [path], async (context) => {
      reached(context, route);
      const answer = await handle(callOf(route, context));
      if (answer instanceof Response) return answer;
      return context.json(answer as object, route.statusOf?.(answer as never) ?? route.status ?? 200);
    });
  }
}

function callOf(route: Route, context: Context): Call<Route> {
  const { body, query } = route;
  return {
    context,
    params: context.req.param(),
    query: () => (query ? readQuery(context, query) : undefined) as never,
    body: async () =>
      (body && (route.bodyOptional ? readOptionalBody(context, body) : readBody(context, body))) as never,
  };
}

const HELD = 'rouse.held';

/** Marks a request whose caller asked to wait: its time is counted separately. */
export function countAsHeld(context: Context): void {
  context.set(HELD, true);
}

export const isCountedAsHeld = (context: Context): boolean => context.get(HELD) === true;
