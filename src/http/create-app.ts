import { Hono, type MiddlewareHandler } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { asRouseError, type Log } from '../base/index.ts';
import { refusal, toHttp, type WireMode } from '../wire/index.ts';
import { type GuardOptions, guard } from './guard.ts';
import { sourceWire } from './source-wire.ts';

export interface AppOptions extends GuardOptions {
  log: Log;
  /** Sees every request first, including those that the guard refuses. */
  watch?: MiddlewareHandler | undefined;
  /** Which fields responses have. Default: all of ours. */
  wire?: WireMode | undefined;
}

/** An app that guards every request and turns every error into the contract's `{"detail": …}`. Other rooms add the routes. */
export function createApp(options: AppOptions): Hono {
  const app = new Hono();
  if (options.watch) app.use(options.watch);
  if (options.wire === 'houmao') app.use(sourceWire());
  app.use(guard(options));
  app.notFound((context) => {
    const methods = otherMethods(app, context.req.path);
    if (methods.length === 0) throw refusal('route_unknown', `no such route: ${context.req.path}`);
    context.header('allow', methods.join(', '));
    throw refusal('method_not_allowed', `${context.req.path} takes ${methods.join(', ')}`);
  });
  app.onError((thrown, context) => {
    const error = asRouseError(thrown);
    if (error.code === 'internal') {
      options.log.error('request failed', { path: context.req.path, cause: stackOf(error) });
    }
    const { status, body } = toHttp(error);
    if (status === 401) context.header('www-authenticate', 'Bearer');
    return context.json(body, status as ContentfulStatusCode);
  });
  return app;
}

/** The methods that this path does have. */
function otherMethods(app: Hono, path: string): string[] {
  const parts = path.split('/');
  const found = app.routes
    .filter((route) => route.method !== 'ALL')
    .filter((route) => {
      const pattern = route.path.split('/');
      return pattern.length === parts.length && pattern.every((p, i) => p.startsWith(':') || p === parts[i]);
    })
    .map((route) => route.method);
  return [...new Set(found)].sort();
}

function stackOf(error: Error): string {
  return (error.cause instanceof Error ? error.cause.stack : error.stack) ?? error.message;
}
