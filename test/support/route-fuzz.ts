import * as http from 'node:http';
import fc from 'fast-check';
import { expect } from 'vitest';
import type { Route, Routes } from '../../src/wire/index.ts';
import { type Answer, type OpenApi, problemOf, undocumentedIn } from './answers.ts';
import { drawSeed } from './draw-seed.ts';
import { FULL } from './sample.ts';
import {
  BAD_VALUES,
  badHeader,
  badId,
  badNumber,
  badText,
  type Change,
  change,
  countPlaces,
  rawBody,
  spoil,
} from './spoil.ts';

/** A server that receives spoilt requests. */
export interface Fuzzed {
  routes: Routes;
  /** A valid body for every route that takes one. */
  bodies: Readonly<Record<string, unknown>>;
  /** The query, with its `?`, for routes that require one. */
  queries?: Readonly<Record<string, string>>;
  /** Fills in the parts of a body that must differ at each call. */
  prepare?(body: string): string;
  port: number;
  /** The server's OpenAPI document; every response must be in it. Routes that are in no document need none. */
  document?: OpenApi;
  /** The caller: someone whom the route admits. */
  headersFor(route: Route): Record<string, string>;
  /** Existing values for the parameters of a path. */
  known(route: Route, parameter: string): string;
  /** Routes whose unspoilt call is refused here, with the status. All others must succeed. */
  refused: Readonly<Record<string, number>>;
  /** What may be reported as missing on this host, with 503: `error.facts.cause`. */
  unavailable?: readonly string[];
  /** Never called: a successful call would end the server. */
  unspoilt?: readonly string[];
  /** Everything that could have changed, read when no work is left. */
  quiet(): Promise<string>;
  /** After a success: restores what may be gone. */
  restore?(route: Route): Promise<void>;
}

type Body = string | Buffer | undefined;

interface Case {
  route: Route;
  method: string;
  /** Which parameter is spoilt, and how. */
  spoilt: { at: number; id: string };
  query: string;
  headers: Record<string, string>;
  body: Body;
}

export interface FuzzReport {
  seed: number;
  statuses: Map<number, number>;
  /** Of all calls. */
  passed: number;
}

const methodOf = ({ method }: Route): string => (method === 'ALL' ? 'POST' : method);
const json = (value: unknown): string | undefined =>
  value === undefined ? undefined : JSON.stringify(value);

/**
 * Calls every route once correctly, then `count` times spoilt. Nothing fails inside, a refusal has a message
 * and changes nothing, and every success returns what the route's row declares.
 */
export async function fuzzRoutes(on: Fuzzed, count: number): Promise<FuzzReport> {
  const seed = drawSeed();
  const statuses = new Map<number, number>();
  let [passed, calls] = [0, 0];
  let before = await on.quiet();
  const call = async (each: Case): Promise<{ status: number; shown: string }> => {
    const sent = {
      ...each,
      target: targetOf(on, each),
      headers: { ...on.headersFor(each.route), ...each.headers },
      ...(typeof each.body === 'string' && on.prepare && { body: on.prepare(each.body) }),
    };
    const answer = await send(on.port, sent);
    const { status, body } = answer;
    const shown = `seed ${seed}: ${sent.method} ${sent.target.slice(0, 200)} ${JSON.stringify(each.headers).slice(0, 200)} ${String(sent.body).slice(0, 500)} → ${status} ${String(json(body)).slice(0, 500)}`;
    calls++;
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
    if (on.document && !isRefusedByNode(answer))
      expect(undocumentedIn(on.document, on.routes, sent, answer), shown).toBeUndefined();
    if (!on.unavailable?.includes(causeOf(answer))) expect(status, shown).toBeLessThan(500);
    if (status < 400) {
      passed++;
      expect(problemOf(on.routes, sent, answer), shown).toBeUndefined();
      if (on.unspoilt?.includes(each.route.id)) return { status, shown };
      await on.restore?.(each.route);
      before = await on.quiet();
    } else {
      expect(isRefusal(answer), shown).toBe(true);
      expect(await on.quiet(), shown).toBe(before);
    }
    return { status, shown };
  };
  const all = Object.values<Route>(on.routes);
  const [last, spoilable] = [
    all.filter(({ id }) => on.unspoilt?.includes(id)),
    all.filter(({ id }) => !on.unspoilt?.includes(id)),
  ];
  expect(spoilable.filter((each) => each.body && !(each.id in on.bodies)).map(({ id }) => id)).toEqual([]);
  const asMeant = async (route: Route): Promise<string[]> => {
    const { status, shown } = await call(unspoilt(on, route));
    const wanted = on.refused[route.id];
    return (wanted === undefined ? status < 400 : status === wanted) ? [] : [`${route.id}: ${shown}`];
  };
  const wrong: string[] = [];
  for (const route of spoilable) wrong.push(...(await asMeant(route)));
  expect(wrong).toEqual([]);
  for (const each of cases(on, spoilable, count, seed)) await call(each);
  for (const route of last) expect(await asMeant(route)).toEqual([]);
  expect(Object.prototype).not.toHaveProperty('polluted');
  return { seed, statuses, passed: passed / calls };
}

function unspoilt(on: Fuzzed, route: Route): Case {
  return {
    route,
    method: methodOf(route),
    spoilt: { at: 0, id: 'KNOWN' },
    query: on.queries?.[route.id] ?? '',
    headers: {},
    body: json(on.bodies[route.id]),
  };
}

/** A part of the sweep, filled up with random calls; the same for the same seed. */
function cases(on: Fuzzed, routes: Route[], count: number, seed: number): Case[] {
  const all = sweep(on, routes);
  const most = Math.min(all.length, Math.round(count * 0.6));
  const swept = FULL
    ? all
    : fc.sample(fc.shuffledSubarray(all, { minLength: most, maxLength: most }), { numRuns: 1, seed })[0]!;
  return [
    ...swept,
    ...fc.sample(aCase(on, routes), { numRuns: count - Math.min(count, swept.length), seed }),
  ];
}

/** Every bad value in every place of every body, one at a time. */
function sweep(on: Fuzzed, routes: Route[]): Case[] {
  return routes.flatMap((route) => {
    const good = on.bodies[route.id];
    if (good === undefined) return [];
    return Array.from({ length: countPlaces(good) }, (_, at) => at).flatMap((at) =>
      BAD_VALUES.map((value) => ({
        ...unspoilt(on, route),
        body: JSON.stringify(spoil(good, [{ at, do: 'set', value, key: '' }])),
      })),
    );
  });
}

function aCase(on: Fuzzed, routes: Route[]): fc.Arbitrary<Case> {
  return fc
    .record({
      route: fc.constantFrom(...routes),
      method: fc.oneof(
        { weight: 14, arbitrary: fc.constant('') },
        { weight: 1, arbitrary: fc.constantFrom('PATCH', 'DELETE', 'OPTIONS', 'POST', 'GET', 'PUT') },
      ),
      spoilt: fc.record({ at: fc.nat({ max: 3 }), id: badId }),
      headers: badHeader,
      body: fc.oneof(
        { weight: 5, arbitrary: fc.array(change, { minLength: 0, maxLength: 3 }) },
        { weight: 1, arbitrary: rawBody },
      ),
    })
    .chain(({ route, method, body, ...rest }) =>
      queryOf(route, on.queries?.[route.id] ?? '').map((query) => ({
        ...rest,
        route,
        query,
        method: method || methodOf(route),
        body: bodyOf(on, route, body),
      })),
    );
}

function bodyOf(on: Fuzzed, route: Route, body: Change[] | string | Buffer): Body {
  const good = on.bodies[route.id];
  if (good === undefined && typeof body !== 'string') return undefined;
  return Array.isArray(body) ? JSON.stringify(spoil(good, body)) : body;
}

/** The good query, or one with another parameter, known or unknown to its row. */
function queryOf(route: Route, good: string): fc.Arbitrary<string> {
  const names = [...Object.keys(route.query?.shape ?? {}), 'limit', 'unknown'];
  const one = fc
    .tuple(fc.constantFrom(...names), fc.oneof(badText, badNumber.map(String)))
    .map(([name, given]) => {
      const query = new URLSearchParams(good);
      query.set(name, given.replace(/\p{Surrogate}/gu, ''));
      return `?${query}`;
    });
  return fc.oneof(
    { weight: 6, arbitrary: fc.constant(good) },
    { weight: 2, arbitrary: one },
    { weight: 1, arbitrary: fc.constantFrom('?limit=%zz', '?&&==', '?limit=1&limit=2', '?limit') },
  );
}

function targetOf(on: Fuzzed, { route, spoilt, query }: Case): string {
  const names = [...route.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);
  const wild = names[spoilt.at % Math.max(1, names.length)];
  const path = route.path.replace(/\{(\w+)\}/g, (_, name: string) =>
    name === wild && spoilt.id !== 'KNOWN' ? spoilt.id : on.known(route, name),
  );
  return path + query;
}

function causeOf({ status, body }: Answer): string {
  const { error } = (status === 503 ? body : {}) as { error?: { facts?: { cause?: string } } };
  return error?.facts?.cause ?? '';
}

/** Node refuses what is not HTTP, or is too long, without a message. */
const isRefusedByNode = ({ status, body }: Answer): boolean =>
  body === undefined && (status === 400 || status === 431);

/** A message for the caller. */
function isRefusal(answer: Answer): boolean {
  if (isRefusedByNode(answer)) return true;
  const { body } = answer;
  return typeof body === 'object' && body !== null && ('detail' in body || 'jsonrpc' in body);
}

const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });

export function send(
  port: number,
  {
    method,
    target,
    headers,
    body,
  }: { method: string; target: string; headers: Record<string, string>; body?: Body },
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const request = http.request(
      {
        host: '127.0.0.1',
        port,
        method,
        path: target.replace(/[^\x21-\x7e]/g, (char) => encodeURIComponent(char)),
        agent,
        setHost: !('host' in headers),
        headers: {
          'x-rouse': '1',
          ...(body !== undefined && {
            'content-type': 'application/json',
            'content-length': Buffer.byteLength(body),
          }),
          ...headers,
        },
      },
      (response) => {
        const status = response.statusCode!;
        const type = response.headers['content-type'] ?? '';
        if (type.startsWith('text/event-stream')) {
          response.destroy();
          return resolve({ status, type, body: undefined, stream: true });
        }
        const parts: Buffer[] = [];
        response.on('data', (part: Buffer) => parts.push(part));
        response.on('error', reject);
        response.on('end', () => {
          const text = Buffer.concat(parts).toString('utf8');
          try {
            const read = text === '' ? undefined : type.includes('json') ? JSON.parse(text) : text;
            resolve({ status, type, body: read });
          } catch {
            reject(new Error(`not JSON (${status}): ${text.slice(0, 200)}`));
          }
        });
      },
    );
    request.on('error', reject);
    request.end(body);
  });
}
