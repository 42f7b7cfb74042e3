import type { Seeded } from '../support/seeded.ts';
import { askPatiently, asProgram } from './call.ts';
import { type Target, targets } from './routes.ts';
import type { Stage } from './stage.ts';
import type { Tries } from './tries.ts';

const MEGABYTE = 1024 * 1024;
const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);
const long = (length: number, letter = 'a'): string => letter.repeat(length);

/** The defect, and the body. */
type Bad = [string, () => string];

/** Wrong for every route. */
const WORST: Bad[] = [
  ['not JSON', () => '{"a":'],
  ['nothing but a number', () => '7'],
  ['null', () => 'null'],
  ['a list', () => '[{}]'],
  ['bytes that are no text', () => '\u0000\u0001\u0002'],
  ['nested 100 deep', () => `{"a":${nested(100)}}`],
  ['nested 200,000 deep', () => `{"a":${nested(200_000)}}`],
  ['larger than allowed', () => JSON.stringify({ a: long(4 * MEGABYTE) })],
  ['a list of 10,001', () => JSON.stringify({ a: Array.from({ length: 10_001 }, () => 0) })],
  ['100,000 fields', () => `{${Array.from({ length: 100_000 }, (_, n) => `"k${n}":0`).join(',')}}`],
  ['an unknown field', () => '{"no_such_field":1}'],
  ['__proto__', () => '{"__proto__":{"prompt":"STOLEN"},"constructor":{"prototype":{}}}'],
];

/** Each field of a good body in turn, of another type or with text no store can keep. */
function* spoilt(body: Record<string, unknown>): Generator<Bad> {
  for (const [key, value] of Object.entries(body)) {
    const other = typeof value === 'object' ? 7 : { a: [] };
    yield [`${key} of another type`, () => JSON.stringify({ ...body, [key]: other })];
    if (typeof value === 'string')
      yield [`${key} with U+0000`, () => JSON.stringify({ ...body, [key]: 'a\u0000b' })];
  }
}

const more = { subject: 's', body_content: 'b' };
const repeating = { mode: 'repeat', title: 't', prompt: 'p', ranking: 0 };
const crons = (many: number, cron: string): object => ({
  reminders: Array.from({ length: many }, () => ({ ...repeating, cron })),
});

/** Bodies that only one route recognises as too large. */
const TOO_MUCH: Record<string, (() => object)[]> = {
  'mail.send': [
    () => ({ to: [long(3_900_000)], ...more }),
    () => ({ to: [`${long(321)}@test`], ...more }),
    () => ({ to: Array.from({ length: 101 }, (_, n) => `a${n}@test`), ...more }),
    () => ({ to: ['a@test'], subject: 'two\nlines', body_content: 'b' }),
    () => ({ to: ['../../etc@test'], ...more }),
    () => ({ to: [long(320)], ...more }),
  ],
  'reminders.create': [
    () => crons(1000, '59 59 23 31 2 *'),
    () => crons(1001, '* * * * *'),
    () => crons(1, long(100_000, '*')),
    () => crons(1, `${'1,'.repeat(50_000)}61 * * * *`),
    () => ({ reminders: [{ ...repeating, cron: '* * * * *', time_zone: long(100_000) }] }),
    () => ({ reminders: [{ ...repeating, interval_seconds: -1 }] }),
    () => ({ reminders: [] }),
  ],
  'control.sendKeys': [
    () => ({ sequence: '<[no-such-key]>'.repeat(10_000) }),
    () => ({ sequence: 'a\u001b[201~b' }),
  ],
  'registry.register': [
    () => ({ agent_id: long(201), name: 'n', session_id: 's' }),
    () => ({ agent_id: 'a', name: long(65), session_id: 's' }),
    () => ({ agent_id: 'a', name: 'two\nlines', session_id: 's' }),
  ],
  'requests.create': [
    () => ({ kind: 'task', recipient_type: 'agent', recipient_id: long(201), title: 't' }),
    () => ({ kind: 'task', recipient_type: 'agent', recipient_id: long(200), title: 't' }),
    () => ({ kind: 'task', recipient_type: 'user', title: long(201) }),
    () => ({ kind: 'task', recipient_type: 'user', title: 't', detail: long(20_001) }),
  ],
  'admin.tokens.create': [
    () => ({ kind: 'god', subject: 's' }),
    () => ({ kind: 'user', subject: long(201) }),
  ],
};

const OWN = /^agents\.gateway\./;
/** These always return 200; the error is in the body. */
const JSON_RPC = new Set(['a2a.rpc', 'mcp']);

function* bodiesFor(target: Target): Generator<Bad> {
  const body = target.body as Record<string, unknown>;
  yield* WORST;
  yield* spoilt(body);
  if (!JSON_RPC.has(target.id))
    yield ['a field too many', () => JSON.stringify({ ...body, no_such_field: long(100_000) })];
  const id = target.id.replace(OWN, '');
  // The gateway's and the server's requests have the same name and nothing else in common.
  if (id !== 'requests.create' || (target.server === 'fleet' && !OWN.test(target.id)))
    for (const [n, much] of (TOO_MUCH[id] ?? []).entries())
      yield [`too much ${n}`, () => JSON.stringify(much())];
}

/** The callers with the right: the owner's account, and an administrator of the server. */
export async function badBodies(
  stage: Stage,
  tries: Tries,
  kind: string,
  some?: { random: Seeded; max: number },
): Promise<void> {
  const takes = targets(stage.ports, stage.to).filter(({ takesBody }) => takesBody);
  const all = takes.flatMap((target) => [...bodiesFor(target)].map((bad) => ({ target, bad })));
  const chosen = some ? Array.from({ length: some.max }, () => some.random.pick(all)) : all;
  for (const { target, bad } of chosen) tries.add(kind, await tryBody(stage, target, bad));
}

async function tryBody(stage: Stage, target: Target, [what, make]: Bad): Promise<string | false> {
  const body = make();
  const token =
    target.server === 'fleet' && !target.path.startsWith('/houmao')
      ? stage.tokens['server admin']
      : undefined;
  const { status, text } = await askPatiently(asProgram({ ...target, body }, token));
  const refused = (status >= 400 && status < 500) || status === 501 || status === 0;
  if (refused || (JSON_RPC.has(target.id) && /"error"/.test(text))) return false;
  return `${target.method} ${target.path}: ${what}: ${status} ${text.slice(0, 200)}`;
}
