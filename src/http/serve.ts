import type { Context, Hono } from 'hono';
import type { AnswerOf, BodyOf, ParamsOf, QueryOf, Route, Routes } from '../wire/index.ts';
import { readBody, readOptionalBody } from './read-body.ts';
import { readQuery } from './read-query.ts';
import { reached } from './source-wire.ts';

/**
 * One request to a route. Query and body are read and checked by the route's row when the handler asks for them, so that
 * it can first find out who calls: a stranger is refused before anything of theirs is read.
 */
export interface Call<R extends Route> {
  context: Context;
  params: ParamsOf<R>;
  query(): QueryOf<R>;
  body(): Promise<BodyOf<R>>;
}

/** A date is written as JSON writes it. */
type Writable<T> = T extends unknown
  ? string extends T
    ? T | Date
    : T extends object
      ? { [K in keyof T]: Writable<T[K]> }
      : T
  : never;
type Answer<R extends Route> = AnswerOf<R> | Writable<AnswerOf<R>> | Response;

/** Answers what the row promises; a `Response` where the answer is a stream or not JSON. */
export type Handler<R extends Route> = (call: Call<R>) => Answer<R> | Promise<Answer<R>>;

/** One for each route: neither a route without a handler nor a handler without a route compiles. */
export type Handlers<Rs extends Routes> = { [K in keyof Rs]: Handler<Rs[K]> };

/** Serves routes. The only place where a route is added to an app. */
export function serve<Rs extends Routes>(app: Hono, routes: Rs, handlers: Handlers<NoInfer<Rs>>): void {
  // "{" comes after every letter, so a fixed word is tried before a parameter in its place.
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
