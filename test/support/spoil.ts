import fc from 'fast-check';

const TEXTS = [
  ...['', ' ', '\u0000', '\ud800', 'a\r\nX-Injected: 1', '../../etc/passwd', '__proto__', 'constructor'],
  ...['<[Enter]>', '<[nope]>', 'KNOWN', 'peer@test', 'inbox', 'x'.repeat(20_000)],
  ...['2026-02-30', '2026-04-16T13:00:00+01', '9999-12-31T23:59:59-23:59', '0001-01-01', '2026-04-16 12:00'],
];
const NUMBERS = [0, -1, 1, 0.5, 1e308, -1e308, 5e-324, 2 ** 53, 2 ** 31, -(2 ** 63)];
const OTHERS = [null, true, false, [], {}, [null], { a: { b: [{}] } }];

export const BAD_VALUES: readonly unknown[] = [...TEXTS, ...NUMBERS, ...OTHERS];
export const badText = fc.oneof(fc.constantFrom(...TEXTS), fc.string({ unit: 'binary', maxLength: 40 }));
export const badNumber = fc.oneof(fc.constantFrom(...NUMBERS), fc.double({ noNaN: true }), fc.integer());
const value: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom(...OTHERS),
  badText,
  badNumber,
  fc.jsonValue({ maxDepth: 3 }),
);

export interface Change {
  at: number;
  do: 'set' | 'delete' | 'add' | 'wrap' | 'rename';
  value: unknown;
  key: string;
}

export const change: fc.Arbitrary<Change> = fc.record({
  at: fc.nat({ max: 1000 }),
  do: fc.constantFrom('set', 'set', 'delete', 'add', 'wrap', 'rename'),
  value,
  key: badText,
});

type Fields = Record<string, unknown>;

/** Every place in a value, so that it can be changed anywhere. */
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
      const copy: Fields = Array.isArray(of) ? ([...of] as unknown as Fields) : { ...(of as Fields) };
      if (next === undefined) delete copy[key];
      else copy[key] = next;
      return Array.isArray(of) ? Object.values(copy) : copy;
    };
    yield ({ do: what, value: wanted, key: name }) => {
      if (what === 'delete') return into(without());
      if (what === 'rename') return into({ ...(without() as Fields), [name]: inner });
      return into(without(what === 'wrap' ? [inner] : wanted));
    };
    yield* places(inner, (spoilt) => into(without(spoilt ?? null)));
  }
}

export function countPlaces(body: unknown): number {
  return [...places(body, (same) => same)].length;
}

export function spoil(body: unknown, changes: readonly Change[]): unknown {
  let spoilt = body;
  for (const each of changes) {
    const all = [...places(spoilt, (same) => same)];
    spoilt = all[each.at % all.length]!(each);
  }
  return spoilt;
}

/** Bodies that are not JSON objects, or only look like them. */
export const rawBody = fc.oneof(
  fc.constantFrom('', '{', 'null', '[]', '"x"', '1', '{"a":1,"a":2}', '\u0000'),
  fc.constant('{"__proto__":{"polluted":true}}'),
  fc.constant(`${'['.repeat(5000)}${']'.repeat(5000)}`),
  fc.constant(`{"prompt":"${'y'.repeat(300_000)}"}`),
  fc.uint8Array({ maxLength: 60 }).map((bytes) => Buffer.from(bytes)),
);

const HEADERS: Record<string, readonly string[]> = {
  'content-type': [
    'text/plain',
    'application/json; charset=latin1',
    'APPLICATION/JSON',
    '',
    'application/json,x',
  ],
  host: [
    'evil.example',
    'localhost:1',
    '[::1]:80',
    '127.0.0.1.evil.example',
    '',
    '0.0.0.0',
    '127.0.0.1@evil',
  ],
  origin: ['http://evil.example', 'null', 'http://127.0.0.1:1'],
  'sec-fetch-site': ['cross-site', 'same-site', 'none'],
  authorization: ['Bearer x', 'Basic eDp5', 'x'.repeat(4000)],
  'last-event-id': ['0', '-1', 'abc', '99999999999999999999'],
  'content-encoding': ['gzip', 'chunked;x', 'identity'],
};

/** In most calls none. */
export const badHeader: fc.Arbitrary<Record<string, string>> = fc.oneof(
  { weight: 12, arbitrary: fc.constant({}) },
  ...Object.entries(HEADERS).map(([name, values]) => ({
    weight: 1,
    arbitrary: fc.constantFrom(...values).map((given) => ({ [name]: given })),
  })),
);

/** Values for an id; `KNOWN` is a valid one. */
export const badId = fc.constantFrom(
  ...['KNOWN', 'KNOWN', 'nobody', '..', '%2e%2e', '%2f', '%00', '%zz', '__proto__', 'constructor', 'é'],
  ...['x'.repeat(3000), ' ', '%20', '?', '#', '00000000-0000-7000-8000-000000000000'],
);
