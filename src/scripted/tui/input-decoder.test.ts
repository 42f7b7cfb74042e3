import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { InputDecoder, type InputEvent } from './input-decoder.ts';

const decode = (...chunks: (string | Uint8Array)[]): InputEvent[] => {
  const decoder = new InputDecoder();
  return chunks.flatMap((chunk) => decoder.feed(typeof chunk === 'string' ? Buffer.from(chunk) : chunk));
};

/** Short names: text as itself, keys in angle brackets, pastes in quotes. */
const named = (events: InputEvent[]): string =>
  events
    .map((event) => {
      if (event.kind === 'text') return event.text;
      if (event.kind === 'paste') return JSON.stringify(event.text);
      return event.kind === 'key' ? `<${event.key}>` : '<?>';
    })
    .join('');

const piece = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 8 }),
  fc.constantFrom(
    '\r',
    '\n',
    '\t',
    '\u001b',
    '\u001b[A',
    '\u001b[1;5C',
    '\u001bOP',
    '\u001b[200~',
    '\u001b[201~',
    '\u001b[20',
    '\u001b[<0;10;10M',
    '\u001b[13;2u',
    'é€😀',
  ),
);

const bytes = fc
  .array(fc.oneof(piece, fc.uint8Array({ maxLength: 6 })), { maxLength: 24 })
  .map((parts) => Buffer.concat(parts.map((part) => Buffer.from(part as string))));

describe('the input decoder', () => {
  it('the input decoder returns the same events however the bytes are split', () => {
    fc.assert(
      fc.property(bytes, fc.array(fc.nat(), { maxLength: 12 }), (input, cuts) => {
        const places = [...new Set(cuts.map((cut) => cut % (input.length + 1)))].sort((a, b) => a - b);
        const chunks = [0, ...places].map((from, index) =>
          input.subarray(from, places[index] ?? input.length),
        );
        expect(decode(...chunks)).toEqual(decode(input));
        expect(decode(...[...input].map((byte) => Uint8Array.of(byte)))).toEqual(decode(input));
      }),
      { numRuns: 500 },
    );
  });

  it('the input decoder returns exactly the text of a bracketed paste', () => {
    const text = fc.string({ unit: 'binary', maxLength: 200 }).filter((each) => !/[\r]|\u001b/.test(each));
    fc.assert(
      fc.property(text, (pasted) => {
        expect(decode(`\u001b[200~${pasted}\u001b[201~`)).toEqual([{ kind: 'paste', text: pasted }]);
      }),
    );
  });

  it.each([
    ['\r', '<enter>'],
    ['\n', '<newline>'],
    ['\u001b\r', '<newline>'],
    ['\u001b[13;2u', '<newline>'],
    ['\u001b[27;2;13~', '<newline>'],
    ['\u0003\u0004\u0015', '<ctrl-c><ctrl-d><ctrl-u>'],
    ['\u007f\b', '<backspace><backspace>'],
    ['\t\u001b[Z', '<tab><shift-tab>'],
    ['\u001b[A\u001bOB', '<up><down>'],
    ['\u001b[1;5D', '<ctrl-left>'],
    ['\u001b[3~\u001b[H', '<delete><home>'],
    ['\u001bf', '<alt-f>'],
    ['\u001b\u001b[A', '<escape><up>'],
    ['\u001b[<0;3;4Ma', '<?>a'],
    ['\u001b[I', '<?>'],
    ['a\u001b[200~x\ry\r\nz\u001b[201~\r', 'a"x\\ny\\nz"<enter>'],
    ['\u001b[200~\u001b[200~a\u001b[201~', '"\\u001b[200~a"'],
    ['\u001b[200~a\u001b[201~!x\r', '"a"!x<enter>'],
    ['\ufeffé😀', '\ufeffé😀'],
  ])('the input decoder reads %j as %s', (input, expected) => {
    expect(named(decode(input))).toBe(expected);
  });

  it('a broken character becomes U+FFFD, and what follows is kept', () => {
    expect(named(decode(Uint8Array.of(0xe2, 0x82, 0x41)))).toBe('\ufffdA');
  });

  it('a lone Escape is the key only after a flush', () => {
    const decoder = new InputDecoder();
    expect(decoder.feed(Buffer.from('\u001b'))).toEqual([]);
    expect(decoder.waiting).toBe('escape');
    expect(named(decoder.flush())).toBe('<escape>');
    expect(decoder.waiting).toBe('nothing');
  });

  it('two Escapes are distinguished from one', () => {
    const decoder = new InputDecoder();
    expect(named([...decoder.feed(Buffer.from('\u001b\u001b')), ...decoder.flush()])).toBe(
      '<escape><escape>',
    );
  });

  it('a paste never ends by timeout', () => {
    const decoder = new InputDecoder();
    decoder.feed(Buffer.from('\u001b[200~half'));
    expect(decoder.flush()).toEqual([]);
    expect(named(decoder.feed(Buffer.from(' whole\u001b[201~')))).toBe('"half whole"');
  });
});
