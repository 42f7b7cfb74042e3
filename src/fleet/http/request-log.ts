import { randomUUID } from 'node:crypto';
import type { Context, MiddlewareHandler } from 'hono';
import { routePath } from 'hono/route';
import type { Clock, Log } from '../../base/index.ts';
import { isCountedAsHeld } from '../../http/index.ts';
import { PAGE_ROOT, REGISTRY_ROUTES, SERVER_ROUTES } from '../../wire/index.ts';
import { callerOf } from './authenticate.ts';
import type { HttpCounts } from './http-counts.ts';

const HEADER = 'x-request-id';
const ID_KEY = 'rouse.request';
/** Automatic requests that come all day: logged only when they fail. */
const QUIET: ReadonlySet<string> = new Set([
  SERVER_ROUTES.health.path,
  SERVER_ROUTES.ready.path,
  SERVER_ROUTES.metrics.path,
  REGISTRY_ROUTES['registry.heartbeat'].path,
  REGISTRY_ROUTES['registry.deliveries.ack'].path,
]);

/**
 * Sets an id on every request, or keeps a valid one it came with, returns it in the same header, and logs one line when
 * the request ends. Paths are logged as sent; bodies and tokens never.
 */
export function requestLog(log: Log, clock: Clock, counts: HttpCounts): MiddlewareHandler {
  return async (context, next) => {
    const sent = context.req.header(HEADER);
    const id = sent !== undefined && /^[\w.:-]{1,128}$/.test(sent) ? sent : randomUUID();
    context.set(ID_KEY, id);
    const began = clock.monotonic();
    await next();
    context.header(HEADER, id);
    const ms = clock.monotonic() - began;
    const { method, path } = context.req;
    const { status } = context.res;
    const held = isCountedAsHeld(context);
    counts.add({ method, route: patternOf(context, status), status, seconds: ms / 1000, held });
    const isQuiet = status < 400 && (QUIET.has(path) || (method === 'GET' && path.startsWith(PAGE_ROOT)));
    const say = status >= 500 ? log.error : isQuiet ? log.debug : log.info;
    const error = context.error?.message;
    say('request', { request_id: id, method, path, status, ms: Math.round(ms), ...who(context), error });
  };
}

/** The route, not the path: each id in a path would make a new series. */
function patternOf(context: Context, status: number): string {
  const pattern = routePath(context, -1);
  return status === 404 && (pattern === '/*' || pattern === '*') ? 'unknown' : pattern;
}

function who(context: Context): Record<string, unknown> {
  const caller = callerOf(context);
  if (!caller) return {};
  return {
    caller: caller.kind === 'agent' ? `agent:${caller.workspaceId}` : `${caller.kind}:${caller.userId}`,
  };
}
