import * as fs from 'node:fs';
import * as http from 'node:http';
import * as net from 'node:net';
import * as path from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Ending, FakeClock, stableJson } from '../../base/index.ts';
import { openSqlite, type Sqlite } from '../../db/index.ts';
import { GATEWAY_ROUTES, type Route } from '../../wire/index.ts';
import { QUEUE_FILE_MIGRATIONS } from '../queue-file.ts';
import { type TestGateway, testGateway } from '../testing.ts';

const full = process.env['ROUSE_PROOF'] === 'full';
const CASES = full ? 10_000 : 1500;
const ROUTES = Object.values<Route>(GATEWAY_ROUTES);
const SEED = full ? Date.now() % 1_000_000 : 42;

type Json = Record<string, unknown>;

const REMINDER = { mode: 'one_off', title: 't', prompt: 'p', ranking: 1, start_after_seconds: 60 };
const MAIL = { subject: 's', body_content: 'b' };

/** A body every route takes, to be spoilt. */
const GOOD: Record<string, Json> = {
  'requests.create': {
    kind: 'submit_prompt',
    payload: { prompt: 'x' },
    priority: 'low',
    expires_at: '2030-01-01T00:00:00Z',
  },
  'reconciliation.decide': { keep: [], discard: [] },
  'control.prompt': { prompt: 'x', force: false },
  'control.sendKeys': { sequence: 'a<[Enter]>', escape_special_keys: false },
  'tui.notePrompt': { prompt: 'x' },
  'headless.nextPromptSession': { mode: 'new' },
  'reminders.create': {
    schema_version: 1,
    reminders: [REMINDER, { ...REMINDER, mode: 'repeat', interval_seconds: 5 }],
  },
  'reminders.put': REMINDER,
  'mail.list': { box: 'inbox', limit: 5, since: '2026-01-01T00:00:00Z' },
  'mail.check': { box: 'inbox' },
  'mail.search': { text: 'words' },
  'mail.peek': { message_ref: 'memory:1' },
  'mail.read': { message_ref: 'memory:1' },
  'mail.send': { ...MAIL, to: ['peer@test'], cc: [], attachments: [] },
  'mail.post': { ...MAIL, reply_policy: 'none' },
  'mail.reply': { message_ref: 'memory:1', body_content: 'b', idempotency_key: 'k' },
  'mail.mark': { message_refs: ['memory:1'], read: true },
  'mail.move': { message_refs: ['memory:1'], destination_box: 'later' },
  'mail.archive': { message_refs: ['memory:1'] },
  'notifier.enable': {
    interval_seconds: 60,
    mode: 'any_inbox',
    quiet_hours: { from: '22:00', to: '07:00', time_zone: 'UTC' },
  },
};

const TEXTS = [
  ...['', ' ', '\u0000', '\ud800', 'a\r\nX-Injected: 1', '../../etc/passwd', '__proto__', 'constructor'],
  ...['<[Enter]>', '<[nope]>', 'KNOWN', 'peer@test', 'inbox', 'x'.repeat(20_000)],
  ...['2026-02-30', '2026-04-16T13:00:00+01', '9999-12-31T23:59:59-23:59', '0001-01-01', '2026-04-16 12:00'],
];
const NUMBERS = [0, -1, 1, 0.5, 1e308, -1e308, 5e-324, 2 ** 53, 2 ** 31, -(2 ** 63)];
const OTHERS = [null, true, false, [], {}, [null], { a: { b: [{}] } }];
const text = fc.oneof(fc.constantFrom(...TEXTS), fc.string({ unit: 'binary', maxLength: 40 }));
const number = fc.oneof(fc.constantFrom(...NUMBERS), fc.double({ noNaN: true }), fc.integer());
const value: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom(...OTHERS),
  text,
  number,
  fc.jsonValue({ maxDepth: 3 }),
);

type Change = { at: number; do: 'set' | 'delete' | 'add' | 'wrap' | 'rename'; value: unknown; key: string };
const change: fc.Arbitrary<Change> = fc.record({
  at: fc.nat({ max: 1000 }),
  do: fc.constantFrom('set', 'set', 'delete', 'add', 'wrap', 'rename'),
  value,
  key: text,
});

/** Every place in a value, so that a change can be made anywhere in it. */
function* places(of: unknown, into: (spoilt: unknown) => unknown): Generator<(change: Change) => unknown> {
  yield ({ do: what, value: wanted, key }) => {
    if (what === 'wrap') return into([of]);
    if (what === 'add' && typeof of === 'object' && of !== null && !Array.isArray(of))
      return into({ ...of, [key]: wanted });
    return into(wanted);
  };
  if (typeof of !== 'object' || of === null) return;
  for (const [key, inner] of Object.entries(of)) {
    const without = (next?: unknown): unknown => {
      const copy: Json = Array.isArray(of) ? ([...of] as unknown as Json) : { ...(of as Json) };
      if (next === undefined) delete copy[key];
      else copy[key] = next;
      return Array.isArray(of) ? Object.values(copy) : copy;
    };
    yield ({ do: what, value: wanted, key: name }) => {
      if (what === 'delete') return into(without());
      if (what === 'rename') return into({ ...(without() as Json), [name]: inner });
      return into(without(what === 'wrap' ? [inner] : wanted));
    };
    yield* places(inner, (spoilt) => into(without(spoilt ?? null)));
  }
}

function spoil(body: unknown, changes: Change[]): unknown {
  let spoilt = body;
  for (const each of changes) {
    const all = [...places(spoilt, (same) => same)];
    spoilt = all[each.at % all.length]!(each);
  }
  return spoilt;
}

const raw = fc.oneof(
  fc.constantFrom(
    '',
    '{',
    'null',
    '[]',
    '"x"',
    '1',
    '{"a":1,"a":2}',
    '\u0000',
    '{"__proto__":{"polluted":true}}',
  ),
  fc.constant(`${'['.repeat(5000)}${']'.repeat(5000)}`),
  fc.constant(`{"prompt":"${'y'.repeat(300_000)}"}`),
  fc.uint8Array({ maxLength: 60 }).map((bytes) => Buffer.from(bytes)),
);

const header: fc.Arbitrary<Record<string, string>> = fc.oneof(
  { weight: 12, arbitrary: fc.constant({}) },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom(
        'text/plain',
        'application/json; charset=latin1',
        'APPLICATION/JSON',
        '',
        'application/json,x',
      )
      .map((type) => ({ 'content-type': type })),
  },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom(
        'evil.example',
        'localhost:1',
        '[::1]:80',
        '127.0.0.1.evil.example',
        '',
        '0.0.0.0',
        '127.0.0.1@evil',
      )
      .map((host) => ({ host })),
  },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom('http://evil.example', 'null', 'http://127.0.0.1:1')
      .map((origin) => ({ origin })),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom('cross-site', 'same-site', 'none').map((site) => ({ 'sec-fetch-site': site })),
  },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom('Bearer x', 'Basic eDp5', 'x'.repeat(4000))
      .map((auth) => ({ authorization: auth })),
  },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom('0', '-1', 'abc', '99999999999999999999')
      .map((id) => ({ 'last-event-id': id })),
  },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom('gzip', 'chunked;x', 'identity')
      .map((encoding) => ({ 'content-encoding': encoding })),
  },
);

const id = fc.constantFrom(
  'KNOWN',
  'gwreq-nobody',
  'greminder-nobody',
  '..',
  '%2e%2e',
  '%2f',
  '%00',
  '%zz',
  '__proto__',
  'constructor',
  'é',
  'x'.repeat(3000),
  ' ',
  '%20',
  '?',
  '#',
);
const query = fc.oneof(
  { weight: 6, arbitrary: fc.constant('') },
  {
    weight: 2,
    arbitrary: fc
      .tuple(
        fc.constantFrom('limit', 'before', 'after', 'state', 'request_id', 'unknown'),
        fc.oneof(text, number.map(String)),
      )
      .map(([name, given]) => `?${name}=${encodeURIComponent(given.replace(/\p{Surrogate}/gu, ''))}`),
  },
  { weight: 1, arbitrary: fc.constantFrom('?limit=%zz', '?&&==', '?limit=1&limit=2', '?limit') },
);

interface Case {
  route: Route;
  method: string;
  target: string;
  headers: Record<string, string>;
  body: string | Buffer | undefined;
}

const aCase: fc.Arbitrary<Case> = fc
  .record({
    route: fc.constantFrom(...ROUTES),
    method: fc.oneof(
      { weight: 14, arbitrary: fc.constant('') },
      { weight: 1, arbitrary: fc.constantFrom('PATCH', 'DELETE', 'OPTIONS', 'POST', 'GET', 'PUT') },
    ),
    id,
    query,
    headers: header,
    body: fc.oneof(
      { weight: 5, arbitrary: fc.array(change, { minLength: 0, maxLength: 3 }) },
      { weight: 1, arbitrary: raw },
    ),
  })
  .map(({ route, method, id: given, query: asked, headers, body }) => ({
    route,
    method: method || route.method,
    target: route.path.replace(/\{\w+\}/, given) + asked,
    headers,
    body: bodyOf(route, body),
  }));

function bodyOf(route: Route, body: Change[] | string | Buffer): Case['body'] {
  if (!route.body && !(typeof body === 'string')) return undefined;
  return Array.isArray(body) ? JSON.stringify(spoil(GOOD[route.id] ?? {}, body)) : body;
}

/** Every bad value in every place of every body, one at a time. */
function sweep(): Case[] {
  return ROUTES.filter((route) => route.body).flatMap((route) => {
    const good = GOOD[route.id]!;
    const count = [...places(good, (same) => same)].length;
    const target = route.path.replace(/\{\w+\}/, 'KNOWN');
    return Array.from({ length: count }, (_, at) => at).flatMap((at) =>
      [...TEXTS, ...NUMBERS, ...OTHERS].map((bad) => {
        const change: Change = { at, do: 'set', value: bad, key: '' };
        return {
          route,
          method: route.method,
          target,
          headers: {},
          body: JSON.stringify(spoil(good, [change])),
        };
      }),
    );
  });
}

/** A part of the sweep and as many wild ones as are left, the same for the same seed. */
function cases(): Case[] {
  const all = sweep();
  const swept = full
    ? all
    : fc.sample(fc.shuffledSubarray(all, { minLength: 900, maxLength: 900 }), { numRuns: 1, seed: SEED })[0]!;
  return [...swept, ...fc.sample(aCase, { numRuns: CASES - swept.length, seed: SEED })];
}

const ending = new Ending();
let on: TestGateway;
let watcher: Sqlite;
const clock = new FakeClock();
const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });

beforeAll(async () => {
  on = await testGateway(ending, { config: { clock } });
  Object.assign(on.surface, {
    tui: { state: () => ({}), history: () => ({ entries: [] }), notePrompt: () => ({}) },
  });
  watcher = openSqlite({
    file: path.join(on.root, 'gateway', 'queue.sqlite'),
    readOnly: true,
    migrations: QUEUE_FILE_MIGRATIONS,
  });
  ending.add(() => watcher.close());
  ending.add(() => agent.destroy());
});
afterAll(() => ending.run());

/** Everything that could have changed: the database's own counter of commits, the events, the terminal, the mail. */
function state(): string {
  return stableJson({
    commits: watcher.get('PRAGMA data_version'),
    events: fs.statSync(path.join(on.root, 'gateway', 'events.jsonl'), { throwIfNoEntry: false })?.size ?? 0,
    typed: [on.surface.submitted.length, on.surface.keys.length, on.surface.interrupts],
    mail: [...on.mail.versions],
  });
}

type Sent = Pick<Case, 'method' | 'target' | 'headers'> & { body?: Case['body'] };

/** Until nothing is being worked on: what a good request set off must not be blamed on the next one. */
async function quiet(): Promise<string> {
  let before = '';
  for (let same = 0; same < 2; ) {
    for (let turn = 0; turn < 12; turn++) await new Promise((resolve) => setImmediate(resolve));
    const { json } = await send({ method: 'GET', target: '/v1/status', headers: {} });
    const { queue_depth, active_execution } = json as { queue_depth: number; active_execution: string };
    const now = state();
    same = now === before && queue_depth === 0 && active_execution === 'idle' ? same + 1 : 0;
    before = now;
  }
  return before;
}

function send({ method, target, headers, body }: Sent): Promise<{ status: number; json: unknown }> {
  return new Promise((resolve, reject) => {
    const request = http.request(
      {
        host: '127.0.0.1',
        port: on.gateway.port,
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
        // A stream of events has no end: its beginning is the answer.
        if (response.headers['content-type']?.startsWith('text/event-stream')) {
          response.destroy();
          return resolve({ status: response.statusCode!, json: {} });
        }
        const parts: Buffer[] = [];
        response.on('data', (part: Buffer) => parts.push(part));
        response.on('error', reject);
        response.on('end', () => {
          const answer = Buffer.concat(parts).toString('utf8');
          try {
            resolve({ status: response.statusCode!, json: answer === '' ? undefined : JSON.parse(answer) });
          } catch {
            reject(new Error(`not JSON (${response.statusCode}): ${answer.slice(0, 200)}`));
          }
        });
      },
    );
    request.on('error', reject);
    request.end(body);
  });
}

describe('hostile input', () => {
  it(`${CASES} spoilt requests over every route: no 5xx, no change on refusal, the process lives`, {
    timeout: 1_800_000,
  }, async () => {
    const reminder = (await on.call('POST', '/v1/reminders', { reminders: [REMINDER] })).body.reminders[0];
    const request = await on.call('POST', '/v1/requests', { kind: 'interrupt', payload: {} });
    const letter = await on.call('POST', '/v1/mail/post', MAIL);
    const known = (target: string): string =>
      target.includes('reminders') ? reminder.reminder_id : request.body.request_id;
    const real = (body: Case['body']): Case['body'] =>
      typeof body === 'string' ? body.replaceAll('memory:1', letter.body.message.message_ref) : body;
    const statuses = new Map<number, number>();
    const routes = new Set<string>();
    let before = await quiet();
    for (const each of cases()) {
      const sent = {
        ...each,
        target: each.target.replace('KNOWN', known(each.target)),
        body: real(each.body),
      };
      const { status, json } = await send(sent);
      const shown = `seed ${SEED}: ${sent.method} ${sent.target.slice(0, 200)} ${JSON.stringify(sent.headers).slice(0, 200)} ${String(sent.body).slice(0, 500)}`;
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      routes.add(each.route.id);
      expect(status, `${shown} → ${JSON.stringify(json)}`).toBeLessThan(500);
      if (status < 400) before = await quiet();
      else {
        // What is not HTTP, or longer than its limits, is refused by Node without words.
        if (json === undefined) expect([400, 431], shown).toContain(status);
        else expect(json, shown).toHaveProperty('detail');
        expect(await quiet(), shown).toBe(before);
      }
    }
    expect(routes.size).toBe(ROUTES.length);
    expect(Object.prototype).not.toHaveProperty('polluted');
    expect((await on.call('GET', '/health')).body).toMatchObject({ status: 'ok', failing_loops: [] });
    // The generator itself: enough gets through for refusals to mean something, and enough is refused.
    const passed = [...statuses]
      .filter(([status]) => status < 400)
      .reduce((sum, [, count]) => sum + count, 0);
    expect(passed / CASES).toBeGreaterThan(0.1);
    expect(passed / CASES).toBeLessThan(0.8);
    for (const status of [403, 404, 405, 415, 422]) expect([...statuses.keys()]).toContain(status);
  });

  it.each([
    ['no Host', 'GET /v1/status HTTP/1.1\r\n\r\n'],
    ['two hosts', 'GET /v1/status HTTP/1.1\r\nHost: 127.0.0.1\r\nHost: evil.example\r\n\r\n'],
    [
      'two lengths',
      'POST /v1/requests HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 3\r\nContent-Length: 5\r\n\r\nabc',
    ],
    [
      'length and chunks',
      'POST /v1/requests HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    ],
    [
      'a broken chunk',
      'POST /v1/requests HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n',
    ],
    ['an unknown method', 'BREW /v1/status HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n'],
    ['a folded header', 'GET /v1/status HTTP/1.1\r\nHost: 127.0.0.1\r\nX-A: 1\r\n 2\r\n\r\n'],
    ['an absolute address', 'GET http://evil.example/v1/status HTTP/1.1\r\nHost: evil.example\r\n\r\n'],
    ['a huge header', `GET /v1/status HTTP/1.1\r\nHost: 127.0.0.1\r\nX-A: ${'a'.repeat(100_000)}\r\n\r\n`],
    ['no HTTP at all', '\u0016\u0003\u0001\u0002\u0000\u0001'],
  ])('%s is refused at the door, and changes nothing', async (_what, bytes) => {
    const before = await quiet();
    const answer = await new Promise<string>((resolve) => {
      const socket = net.connect(on.gateway.port, '127.0.0.1', () => socket.write(bytes));
      let got = '';
      socket.on('data', (part) => {
        got += part;
        socket.end();
      });
      socket.on('error', () => resolve(got));
      socket.on('close', () => resolve(got));
    });
    expect(answer === '' ? 400 : Number(answer.split(' ')[1])).toSatisfy(
      (status: number) => status >= 400 && status < 500,
    );
    expect(await quiet()).toBe(before);
    expect((await on.call('GET', '/health')).status).toBe(200);
  });
});
