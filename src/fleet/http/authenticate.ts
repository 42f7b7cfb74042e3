import { createHash } from 'node:crypto';
import type { Context, MiddlewareHandler } from 'hono';
import { type Clock, isRouseError, unauthorized } from '../../base/index.ts';
import { asParty, type Sql } from '../../db/index.ts';
import { LIMITS, limit } from '../../domain/index.ts';
import { countConnection, type RateLimit, RateLimiter, seenAs } from '../../http/index.ts';
import { refusal } from '../../wire/index.ts';
import { type Identity, identify } from '../identity/index.ts';

import type { HttpCounts } from './http-counts.ts';

const KEY = 'rouse.identity';

export interface RequestLimits {
  /** Per token, and per peer that sends none. */
  requests: RateLimit;
  /** Bad tokens of one peer. Beyond this they get "come back later", and are looked up one at a time. */
  badTokens: RateLimit;
}

const limitsInForce = (): RequestLimits => ({
  requests: { burst: 4 * limit('requestsPerSecond'), perSecond: limit('requestsPerSecond') },
  badTokens: { burst: limit('badTokens'), perSecond: 1 },
});

const MAX_KNOWN = 50_000;
/** How long a token's owner is cached, for work that checks on its own whether the token is valid. */
const KNOWN_MS = 300_000;

interface Admitting {
  clock: Clock;
  limits?: RequestLimits;
  counts?: HttpCounts;
  /** The owner's token is not in the database and names no one in an org. */
  hasOwnersToken?: (context: Context) => boolean;
  /** The route's own statement checks whether the token is valid. Whose it is never changes, so that may be cached. */
  checksItself?: (context: Context) => boolean;
}

/**
 * Identifies the caller before a route runs. Without a token the caller is unknown; routes that need one refuse. A
 * caller who asks too often learns when to come back, before the database is queried. One address may have many
 * callers, good and bad: every token is looked up, so guesses slow down only those who send them.
 */
export function authenticate(
  sql: Sql,
  {
    clock,
    limits = limitsInForce(),
    counts,
    hasOwnersToken = () => false,
    checksItself = () => false,
  }: Admitting,
): MiddlewareHandler {
  const requests = new RateLimiter(limits.requests, clock);
  const badTokens = new RateLimiter(limits.badTokens, clock);
  const known = new Map<string, { identity: Identity; until: number }>();
  const suspects = new OneByOne();
  return async (context, next) => {
    const peer = seenAs(context).address;
    const token = tokenOf(context);
    const key = token === undefined ? `peer ${peer}` : `token ${digestOf(token)}`;
    slowDown(context, requests.take(key), 'requestsPerSecond');
    if (token !== undefined && !hasOwnersToken(context)) {
      try {
        const cached = checksItself(context) ? known.get(key) : undefined;
        const isFresh = cached !== undefined && cached.until > clock.monotonic();
        context.set(KEY, isFresh ? cached.identity : await checked(token, key, peer));
      } catch (error) {
        if (isRouseError(error) && error.code === 'unauthorized')
          slowDown(context, badTokens.take(peer), 'badTokens');
        throw error;
      }
    }
    const identity = callerOf(context);
    if (!identity) return next();
    countConnection(context, orgOf(identity));
    await asParty(orgOf(identity), next);
  };

  function slowDown(context: Context, wait: number, name: RateName): void {
    if (wait === 0) return;
    if (counts) counts.limited++;
    context.header('retry-after', String(Math.ceil(wait)));
    throw tooMany(name, Math.ceil(wait));
  }

  async function checked(token: string, key: string, peer: string): Promise<Identity> {
    const before = known.get(key)?.identity;
    // Counted for the org it probably belongs to; a token never seen before, for its address.
    const look = () => asParty(before ? orgOf(before) : `from ${peer}`, () => identify(sql, token));
    const guessing = !before && badTokens.waitOf(peer) > 0;
    try {
      const identity = await (guessing ? suspects.run(look) : look());
      known.delete(key);
      known.set(key, { identity, until: clock.monotonic() + KNOWN_MS });
      if (known.size > MAX_KNOWN) known.delete(known.keys().next().value!);
      return identity;
    } catch (error) {
      if (isRouseError(error) && error.code === 'unauthorized') known.delete(key);
      throw error;
    }
  }
}

/** The org that a caller's work and connections count for. */
export const orgOf = ({ orgId }: Identity): string => orgId ?? 'the whole server';

type RateName = 'requestsPerSecond' | 'badTokens';

function tooMany(name: RateName, retry_after: number): Error {
  const { unit, variable } = LIMITS[name];
  return refusal('rate_limited', `too many requests: at most ${limit(name)} ${unit}`, {
    hint: `try again in ${retry_after} s, or raise ${variable}`,
    facts: { retry_after },
  });
}

/** Runs one at a time, so that a flood of guesses never holds more than one database connection. */
class OneByOne {
  #last: Promise<unknown> = Promise.resolve();

  run<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#last.then(work);
    this.#last = result.catch(() => {});
    return result;
  }
}

function tokenOf(context: Context): string | undefined {
  const header = context.req.header('authorization');
  if (header === undefined) return undefined;
  const token = /^Bearer ([\x21-\x7e]+)$/i.exec(header)?.[1];
  if (token === undefined) throw unauthorized('the Authorization header must be "Bearer <token>"');
  return token;
}

/** Secrets are not kept, not even in memory. */
const digestOf = (token: string): string =>
  createHash('sha256').update(token).digest('base64url').slice(0, 22);

/** Undefined: no token was sent. */
export function callerOf(context: Context): Identity | undefined {
  return context.get(KEY) as Identity | undefined;
}

/** Returns the caller; throws `unauthorized` without one. */
export function requireCaller(context: Context): Identity {
  const identity = callerOf(context);
  if (identity) return identity;
  throw unauthorized('a bearer token is required', {
    hint: 'send "Authorization: Bearer <token>"; "rouse tokens create --kind user --subject NAME" creates one',
  });
}
