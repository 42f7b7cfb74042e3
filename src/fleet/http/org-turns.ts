import type { Context, MiddlewareHandler } from 'hono';
import { unavailable } from '../../base/index.ts';
import { FLEET_ROUTES, type Route, refusal } from '../../wire/index.ts';
import { callerOf, orgOf } from './authenticate.ts';

/** Lists, searches and routes that write several tables: each reads or sorts many rows. */
const HEAVY = /\.(list|inbox|outgoing|pending|search|count|trail|register|handOver|replay|drop-stale)$/;
/** Each makes its own tool server, which calls other routes. */
const TOOLS = /^mcp$/;
/** Held, streamed or carried to another host: these wait, and their connections limit their number. */
const WAITING = /^(page\.|agents\.|a2a\.|registry\.heartbeat$|mailbox\.watch$|requests\.events$)/;

const AT_ONCE = { heavy: 2, light: 32, tools: 2 };
/** More than one call per connection could make. */
const MAX_WAITING = 4096;

/**
 * Limits how much of the server one org uses at once. Further calls wait their turn, in order, so calls of another org
 * find only a few calls ahead of them, never all that one org can send.
 */
export class OrgTurns {
  readonly #atOnce: number;
  readonly #orgs = new Map<string, { running: number; waiting: (() => void)[] }>();

  constructor(atOnce: number) {
    this.#atOnce = atOnce;
  }

  /** A caller who is `gone` before its turn leaves the queue. */
  async run<T>(org: string, work: () => Promise<T>, gone?: AbortSignal): Promise<T> {
    const line = this.#orgs.get(org) ?? { running: 0, waiting: [] };
    this.#orgs.set(org, line);
    if (line.running >= this.#atOnce) await waitIn(line.waiting, gone);
    else line.running++;
    try {
      return await work();
    } finally {
      const next = line.waiting.shift();
      // Not at once: requests that others sent in the meantime are read first.
      if (next) setImmediate(next);
      else if (--line.running === 0) this.#orgs.delete(org);
    }
  }
}

function waitIn(waiting: (() => void)[], gone: AbortSignal | undefined): Promise<void> {
  if (waiting.length >= MAX_WAITING) throw tooMany();
  return new Promise<void>((resolve, reject) => {
    const leave = (): void => {
      waiting.splice(waiting.indexOf(begin), 1);
      reject(unavailable('the caller is gone'));
    };
    const begin = (): void => {
      gone?.removeEventListener('abort', leave);
      resolve();
    };
    waiting.push(begin);
    gone?.addEventListener('abort', leave, { once: true });
  });
}

function tooMany(): Error {
  return refusal('rate_limited', `more than ${MAX_WAITING} calls of this org wait for their turn`, {
    hint: 'send fewer at once',
    facts: { retry_after: 1 },
  });
}

type Weight = keyof typeof AT_ONCE | 'waiting';

/** Runs after `authenticate`, which limits calls without a token per address. */
export function orgTurns(): MiddlewareHandler {
  const turns = {
    heavy: new OrgTurns(AT_ONCE.heavy),
    light: new OrgTurns(AT_ONCE.light),
    tools: new OrgTurns(AT_ONCE.tools),
  };
  const weigh = weights(Object.values<Route>(FLEET_ROUTES));
  return async (context, next) => {
    const caller = callerOf(context);
    const weight = weigh(context);
    if (!caller || weight === 'waiting') return next();
    await turns[weight].run(orgOf(caller), next, context.req.raw.signal);
  };
}

function weightOf(id: string): Weight {
  if (TOOLS.test(id)) return 'tools';
  if (WAITING.test(id)) return 'waiting';
  return HEAVY.test(id) ? 'heavy' : 'light';
}

function weights(routes: readonly Route[]): (context: Context) => Weight {
  const fixed = new Map<string, Weight>();
  const named: { method: string; pattern: RegExp; weight: Weight }[] = [];
  for (const { id, method, path } of routes) {
    const weight = weightOf(id);
    if (method === 'ALL') for (const each of ['GET', 'POST', 'DELETE']) fixed.set(`${each} ${path}`, weight);
    else if (!path.includes('{')) fixed.set(`${method} ${path}`, weight);
    else named.push({ method, pattern: new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`), weight });
  }
  return ({ req }) => {
    // HEAD is the same work as GET.
    const asked = req.method === 'HEAD' ? 'GET' : req.method;
    const row = named.find(({ method, pattern }) => method === asked && pattern.test(req.path));
    return fixed.get(`${asked} ${req.path}`) ?? row?.weight ?? 'waiting';
  };
}
