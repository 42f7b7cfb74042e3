import * as z from 'zod';
import type { Target } from '../../test/attack/routes.ts';

/** A description, and the body. */
export type Worst = [string, () => unknown];

type Node = z.core.JSONSchema.JSONSchema;
type Path = readonly (string | number)[];

/** Almost the maximum size of a body, with room for the rest of it. */
const MUCH = 3_900_000;
const MAX_ENTRIES = 10_000;
/** Characters that some parser treats specially. */
const FILLS = ['a', ' ', '\n', '<[Enter]>', '"', '%_*', '\u202e', '\u0301'];

const fill = (text: string): string =>
  text.repeat(Math.floor(MUCH / Buffer.byteLength(JSON.stringify(text).slice(1, -1))));

/** For every place where the schema takes text, a list or a map: as much of it as a body may hold. */
export function worstOf(schema: z.ZodType, good: unknown): Worst[] {
  const json = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as Node;
  return [...walk(json, json, [], good)];
}

function* walk(root: Node, node: Node | undefined, path: Path, good: unknown): Generator<Worst> {
  if (!node || path.length > 6) return;
  if (node.$ref) return yield* walk(root, refered(root, node.$ref), path, good);
  for (const choice of [...(node.anyOf ?? []), ...(node.oneOf ?? []), ...(node.allOf ?? [])])
    yield* walk(root, choice as Node, path, good);
  const put = (value: () => unknown) => (): unknown => placed(good, path, value());
  const where = path.join('.') || 'the body';
  const types = [node.type].flat();
  if (types.includes('string') && !node.enum && node.const === undefined)
    for (const letters of FILLS)
      yield [`${where}: text of ${JSON.stringify(letters)}`, put(() => fill(letters))];
  if (types.includes('array')) {
    const max = Math.min(node.maxItems ?? MAX_ENTRIES, MAX_ENTRIES);
    const each = Math.max(1, Math.floor(MUCH / max) - 20);
    yield [
      `${where}: ${max} texts`,
      put(() => Array.from({ length: max }, (_, n) => `${n}`.padEnd(each, 'a'))),
    ];
    yield [`${where}: ${max} wrong ones`, put(() => Array.from({ length: max }, () => ({ no: [] })))];
    yield* walk(root, node.items as Node, [...path, 0], good);
  }
  if (!types.includes('object')) return;
  for (const [key, inner] of Object.entries(node.properties ?? {}))
    yield* walk(root, inner as Node, [...path, key], good);
  if (node.additionalProperties && typeof node.additionalProperties === 'object')
    yield [`${where}: a map`, put(map)];
  yield [`${where}: 1,000 unknown fields`, put(map)];
}

const map = (): object =>
  Object.fromEntries(Array.from({ length: 1000 }, (_, n) => [`k${n}`.padEnd(3000, 'a'), 'b'.repeat(800)]));

function refered(root: Node, ref: string): Node | undefined {
  if (ref === '#') return root;
  return root.$defs?.[ref.replace('#/$defs/', '')] as Node | undefined;
}

/** A copy of a body with one value of it set. */
function placed(body: unknown, [key, ...rest]: Path, value: unknown): unknown {
  if (key === undefined) return value;
  if (typeof key === 'number') {
    const list = Array.isArray(body) ? [...body] : [];
    list[key] = placed(list[key], rest, value);
    return list;
  }
  const object = typeof body === 'object' && body !== null ? { ...body } : {};
  return { ...object, [key]: placed((object as Record<string, unknown>)[key], rest, value) };
}

const many = <T>(count: number, make: (n: number) => T): T[] =>
  Array.from({ length: count }, (_, n) => make(n));
const id = (n: number): string => `01a1e584-4cfb-755b-9331-${String(n).padStart(12, '0')}`;
const letter = { subject: 's', body_content: 'b' };
const repeating = { mode: 'repeat', title: 't', prompt: 'p', ranking: 0 };
const ack = { attempt: 1, result: 'refused', reason: 'r'.repeat(2000) };

/** Bodies that need knowledge of the route. */
export const KNOWN_WORST: Readonly<Record<string, Worst[]>> = {
  'reminders.create': [
    [
      '1,000 that are never due',
      () => ({ reminders: many(1000, () => ({ ...repeating, cron: '59 59 23 31 2 *' })) }),
    ],
    [
      '1,000 that are due on a leap day',
      () => ({ reminders: many(1000, () => ({ ...repeating, cron: '0 0 29 2 1' })) }),
    ],
    [
      '1,000 in far time zones',
      () => ({
        reminders: many(1000, () => ({ ...repeating, cron: '0 9 * * 1-5', time_zone: 'Pacific/Chatham' })),
      }),
    ],
    [
      '1,000 of 3,800 letters',
      () => ({
        reminders: many(1000, () => ({ ...repeating, interval_seconds: 60, prompt: 'p'.repeat(3800) })),
      }),
    ],
    [
      '1,000 with keys',
      () => ({
        reminders: many(1000, () => ({
          mode: 'repeat',
          title: 't',
          ranking: 0,
          interval_seconds: 60,
          send_keys: { sequence: '<[Enter]>'.repeat(400) },
        })),
      }),
    ],
    [
      'a list of minutes',
      () => ({ reminders: [{ ...repeating, cron: `${'1,'.repeat(1_900_000)}1 * * * *` }] }),
    ],
  ],
  'reminders.put': [
    ['a list of minutes', () => ({ ...repeating, cron: `${'1,'.repeat(1_900_000)}1 * * * *` })],
  ],
  'mail.send': [
    ['100 unknown of 320 letters', () => ({ to: many(100, (n) => `${n}`.padEnd(320, 'a')), ...letter })],
    [
      '100 nearly right',
      () => ({
        to: many(100, (n) => `mailbox-${n}-x@houmao.localhost`),
        cc: many(100, (n) => `mailbox-${n}-y@houmao.localhost`),
        ...letter,
      }),
    ],
    [
      '200 recipients and much text',
      () => ({
        to: many(100, (n) => `mailbox-${n}@houmao.localhost`),
        cc: many(100, (n) => `mailbox-${n + 100}@houmao.localhost`),
        subject: 's',
        body_content: fill('b'),
      }),
    ],
    [
      '1,000 attachments',
      () => ({
        to: ['mailbox-1@houmao.localhost'],
        ...letter,
        attachments: many(1000, () => ({ path: '/etc/hostname' })),
      }),
    ],
  ],
  'mail.search': [
    ['words of one letter', () => ({ text: fill('a ') })],
    ['quotes', () => ({ text: fill('"a" ') })],
    ['operators', () => ({ text: fill('a OR NOT b* NEAR ') })],
    ['1,000 different words', () => ({ text: many(1000, (n) => `w${n}`).join(' ') })],
  ],
  'mail.mark': [['10,000 messages', () => ({ message_refs: many(10_000, (n) => `msg-${n}`), read: true })]],
  'mail.move': [
    [
      '10,000 messages',
      () => ({ message_refs: many(10_000, (n) => `msg-${n}`), destination_box: 'archive' }),
    ],
  ],
  'mail.archive': [['10,000 messages', () => ({ message_refs: many(10_000, (n) => `msg-${n}`) })]],
  'reconciliation.decide': [
    ['10,000 requests', () => ({ keep: many(10_000, (n) => `gwreq-${n}`), discard: [] })],
  ],
  'control.sendKeys': [
    ['nothing but keys', () => ({ sequence: fill('<[C-a]>') })],
    ['an unknown key at the end', () => ({ sequence: `${fill('<[C-a]>')}<[no]>` })],
    ['brackets', () => ({ sequence: fill('<[') })],
  ],
  'fleet requests.create': [
    [
      'a recipient of 200 letters',
      () => ({ kind: 'task', recipient_type: 'agent', recipient_id: 'agent-'.padEnd(200, 'a'), title: 't' }),
    ],
    [
      'a recipient that is nearly right',
      () => ({
        kind: 'task',
        recipient_type: 'agent',
        recipient_id: 'agent-500'.padEnd(63, 'n'),
        title: 't',
      }),
    ],
  ],
  'registry.heartbeat': [
    [
      'full of news',
      () => ({
        session_id: 's',
        active_tasks: 0,
        acks: many(100, (n) => ({ id: id(n), ...ack })),
        outcomes: many(100, (n) => ({ id: id(n), request_id: 'r', outcome: 'submitted', at: 'x' })),
        turns: many(20, (n) => ({
          id: id(n),
          request_id: 'r',
          state: 'finished',
          at: 'x',
          answer: 'a'.repeat(70_000),
        })),
      }),
    ],
  ],
  'a2a.enqueue': [
    [
      '100 parts',
      () => ({ params: { message: { parts: many(100, () => ({ text: 'a'.repeat(38_000) })) } } }),
    ],
  ],
  'a2a.rpc': [
    [
      '100 parts',
      () => ({
        jsonrpc: '2.0',
        id: 1,
        method: 'message/send',
        params: {
          message: {
            kind: 'message',
            role: 'user',
            messageId: 'm',
            parts: many(100, () => ({ kind: 'text', text: 'a'.repeat(38_000) })),
          },
        },
      }),
    ],
  ],
};

/** The known worst bodies of a route, also for gateway routes that the server carries. */
export function knownWorst({ id: route, server }: Pick<Target, 'id' | 'server'>): Worst[] {
  const own = route.replace(/^agents\.gateway\./, '');
  return (
    KNOWN_WORST[
      server === 'fleet' && own === 'requests.create' && own === route ? 'fleet requests.create' : own
    ] ?? []
  );
}
