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
  /** For each token, and for each peer that sends none. */
  requests: RateLimit;
  /** Bad tokens of one peer. Beyond it they are answered with "come back later", and looked up one after the other. */
  badTokens: RateLimit;
}

const limitsInForce = (): RequestLimits => ({
  requests: { burst: 4 * limit('requestsPerSecond'), perSecond: limit('requestsPerSecond') },
  badTokens: { burst: limit('badTokens'), perSecond: 1 },
});

const MOST_KNOWN = 50_000;
/** For so long it is known whose a token is, where the work itself asks whether it is good. */
const KNOWN_MS = 300_000;

interface Admitting {
  clock: Clock;
  limits?: RequestLimits;
  counts?: HttpCounts;
  /** It is no token of the database, and says nothing about who speaks in an org. */
  hasOwnersToken?: (context: Context) => boolean;
  /** The route is served by a statement that looks whether the token is good: whose it is, which never changes, may be known. */
  checksItself?: (context: Context) => boolean;
}

/**
 * Finds out who speaks before a route runs. Without a token the caller is nobody; routes that need somebody say so. Who
 * asks too often is told when to come back, before the database is asked. Behind one address are many callers, good and
 * bad: every token is looked up, so that guesses slow nobody but whoever sends them.
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
        const told = checksItself(context) ? known.get(key) : undefined;
        const isFresh = told !== undefined && told.until > clock.monotonic();
        context.set(KEY, isFresh ? told.identity : await checked(token, key, peer));
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
    // For whom it probably is; a token that was never seen, for its address.
    const look = () => asParty(before ? orgOf(before) : `from ${peer}`, () => identify(sql, token));
    const guessing = !before && badTokens.waitOf(peer) > 0;
    try {
      const identity = await (guessing ? suspects.run(look) : look());
      known.delete(key);
      known.set(key, { identity, until: clock.monotonic() + KNOWN_MS });
      if (known.size > MOST_KNOWN) known.delete(known.keys().next().value!);
      return identity;
    } catch (error) {
      if (isRouseError(error) && error.code === 'unauthorized') known.delete(key);
      throw error;
    }
  }
}

/** The org that a caller's work and connections are counted for. */
export const orgOf = ({ orgId }: Identity): string => orgId ?? 'the whole server';

type RateName = 'requestsPerSecond' | 'badTokens';

function tooMany(name: RateName, retry_after: number): Error {
  const { unit, variable } = LIMITS[name];
  return refusal('rate_limited', `too many requests: at most ${limit(name)} ${unit}`, {
    hint: `try again in ${retry_after} s, or raise ${variable}`,
    facts: { retry_after },
  });
}

/** One after the other, so that a flood of guesses never holds more than one connection to the database. */
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

/** Secrets are not kept, not even here. */
const digestOf = (token: string): string =>
  createHash('sha256').update(token).digest('base64url').slice(0, 22);

/** Undefined: no token was sent. */
export function callerOf(context: Context): Identity | undefined {
  return context.get(KEY) as Identity | undefined;
}

/** Who speaks; nobody is refused. */
export function requireCaller(context: Context): Identity {
  const identity = callerOf(context);
  if (identity) return identity;
  throw unauthorized('a bearer token is required', {
    hint: 'send "Authorization: Bearer <token>"; "rouse tokens create --kind user --subject NAME" creates one',
  });
}
