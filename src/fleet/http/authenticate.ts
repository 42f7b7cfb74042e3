import type { Context, MiddlewareHandler } from 'hono';
import { unauthorized } from '../../base/index.ts';
import type { Sql } from '../../db/index.ts';
import { type Identity, identify } from '../identity/index.ts';

const KEY = 'rouse.identity';

/** Finds out who speaks before a route runs. Without a token the caller is nobody; routes that need somebody say so. */
export function authenticate(sql: Sql): MiddlewareHandler {
  return async (context, next) => {
    const header = context.req.header('authorization');
    if (header !== undefined) {
      const token = /^Bearer ([\x21-\x7e]+)$/i.exec(header)?.[1];
      if (token === undefined) throw unauthorized('the Authorization header must be "Bearer <token>"');
      context.set(KEY, await identify(sql, token));
    }
    await next();
  };
}

/** Undefined: no token was sent. */
export function callerOf(context: Context): Identity | undefined {
  return context.get(KEY) as Identity | undefined;
}

/** Who speaks; nobody is refused. */
export function requireCaller(context: Context): Identity {
  const identity = callerOf(context);
  if (identity) return identity;
  throw unauthorized('a bearer token is required', {
    hint: 'send "Authorization: Bearer <token>"; "rouse tokens create" makes one',
  });
}
