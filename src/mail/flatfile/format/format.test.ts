import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parse as parseYaml } from 'yaml';
import { newFileHeader } from '../store/place-on-top.ts';
import { writeBlock } from './block.ts';
import { escapeBody, unescapeBody } from './body.ts';
import { bufferSource } from './byte-source.ts';
import type { FlatMessage } from './envelope.ts';
import { messagesIn } from './found-message.ts';
import { parseInput } from './parse-input.ts';
import { type FoundDamage, scanBlocks } from './scan.ts';

const read = (text: string | Buffer): FlatMessage[] =>
  [...messagesIn(bufferSource(Buffer.from(text)))].map((found) => found.read());

const message = (fields: Record<string, string>, body = ''): FlatMessage => ({
  fields: new Map(Object.entries({ from: 'a@x', to: 'b@x', re: 'r', ...fields })),
  body,
});

const plain = ({ fields, body }: FlatMessage): unknown => ({
  fields: Object.fromEntries([...fields].sort()),
  body,
});

/** Bodies built from pieces that could confuse a reader, and from anything else. */
const body = fc.oneof(
  fc.string({ unit: 'grapheme' }).filter((text) => !text.includes('\u0000')),
  fc
    .array(
      fc.oneof(
        fc.constantFrom(
          '---',
          ' ---',
          '  ---',
          '---  ',
          '---\r',
          '----',
          '--',
          '\r',
          '\n',
          '\r\n',
          '\n\n',
          '',
        ),
        fc.constantFrom(
          'from: eve@x',
          'to: b@x',
          're: forged',
          'status: pending',
          'msg-id: m-1',
          'mailbox: inbox',
        ),
        fc.constantFrom(
          '# Inbox',
          '\ufeff',
          '\ufeff---',
          'text',
          '\t---',
          '---x',
          '\u2028---\u2028',
          '\u0085---',
        ),
        fc.string({ maxLength: 20 }).filter((text) => !text.includes('\u0000')),
      ),
      { maxLength: 30 },
    )
    .chain((lines) => fc.constantFrom('\n', '\r\n', '\r', '').map((joint) => lines.join(joint))),
);
const value = fc
  .oneof(
    fc.string({ minLength: 1, maxLength: 60, unit: 'grapheme' }),
    fc.constantFrom(
      '"quoted"',
      "'single'",
      '"open',
      "it's",
      '---',
      '# not a comment',
      'a: b',
      '[x]',
      '- x',
      'null',
      '|',
    ),
  )
  .map((text) => text.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g, '').replace(/^ +| +$/g, ''))
  .filter((text) => text !== '');
const anyMessage = fc
  .record({ from: value, to: value, re: value, note: value, body })
  .map(({ body: text, ...fields }) => message(fields, text));

describe('the flat-file format', () => {
  it('the flat-file format returns any list of messages exactly, whatever their bodies hold', () => {
    fc.assert(
      fc.property(fc.array(anyMessage, { maxLength: 5 }), fc.boolean(), (messages, header) => {
        const text = (header ? newFileHeader('inbox.md') : '') + messages.map(writeBlock).join('');
        expect(read(text).map(plain)).toEqual(messages.map(plain));
      }),
      { numRuns: 2000 },
    );
  });

  it('the flat-file format writes envelopes that a YAML reader understands', () => {
    fc.assert(
      fc.property(anyMessage, ({ fields }) => {
        const written = writeBlock({ fields, body: '' }).slice('---\n'.length, -'---\n\n'.length);
        expect(parseYaml(written)).toEqual(Object.fromEntries(fields));
      }),
      { numRuns: 2000 },
    );
  });

  it.each([
    ['re', 'Re: one', '"Re: one"'],
    ['note', 'a: b # c', '"a: b # c"'],
    ['re', '17', '"17"'],
    ['re', 'it is 17: 30', '"it is 17: 30"'],
    ['msg-id', '17', '17'],
    ['msg-id', 'app-20260131:x.y_z/1', 'app-20260131:x.y_z/1'],
    ['to', 'totebox@app, command@claude-code', 'totebox@app, command@claude-code'],
    ['created', '2026-01-31T09:00:00Z', '2026-01-31T09:00:00Z'],
  ])('the flat-file format writes %s %j as %s', (key, value, written) => {
    expect(writeBlock(message({ [key]: value }))).toContain(`\n${key}: ${written}\n`);
  });

  it('the flat-file format reads unquoted values of others unchanged', () => {
    expect(read('---\nfrom: a\nto: b\nre: Re: one # two\n---\n\nx\n')[0]!.fields.get('re')).toBe(
      'Re: one # two',
    );
  });

  it('the flat-file format never writes a body line as a separator', () => {
    fc.assert(
      fc.property(body, (text) => {
        expect(escapeBody(text).split(/[\r\n]/)).not.toContain('---');
        expect(unescapeBody(escapeBody(text))).toBe(text);
      }),
    );
  });

  it('the flat-file format finds its messages in a file with text, headers and damage of any kind around them', () => {
    const junk = fc.constantFrom(
      '# Title\n\n',
      '---\n',
      'text\n',
      newFileHeader('inbox.md'),
      '---\nkey: value\n---\n',
      '\n',
    );
    fc.assert(
      fc.property(fc.array(junk, { maxLength: 5 }), anyMessage, (before, one) => {
        const found = read(before.join('') + writeBlock(one));
        expect(found.map(plain)).toEqual([plain(one)]);
      }),
    );
  });

  it('the flat-file format keeps the markdown readable: a rule stays a rule', () => {
    expect(writeBlock(message({}, 'above\n\n---\n\nbelow'))).toBe(
      '---\nfrom: a@x\nto: b@x\nre: r\n---\n\nabove\n\n ---\n\nbelow\n\n',
    );
  });

  it.each([
    ['CRLF', '---\r\nfrom: a\r\nto: b\r\nre: c\r\n---\r\n\r\nbody\r\n\r\n', 'body'],
    ['a byte order mark', '\ufeff---\nfrom: a\nto: b\nre: c\n---\n\nbody\n', 'body'],
    ['no final newline', '---\nfrom: a\nto: b\nre: c\n---\n\nbody', 'body'],
    ['no blank line after the envelope', '---\nfrom: a\nto: b\nre: c\n---\nbody\n', 'body'],
    ['blanks after the separators', '---  \nfrom: a\nto: b\nre: c\n---\t\n\nbody\n', 'body'],
    ['a rule in the body', '---\nfrom: a\nto: b\nre: c\n---\n\nx\n\n---\n\ny\n', 'x\n\n---\n\ny'],
    [
      'YAML in the body',
      '---\nfrom: a\nto: b\nre: c\n---\n\n---\nkey: value\n---\n\ny\n',
      '---\nkey: value\n---\n\ny',
    ],
    ['values in quotes', '---\nfrom: "a"\nto: \'b\'\nre: "c"\n---\n\nbody\n', 'body'],
    ['a folded value', '---\nfrom: a\nto: b\nre: c\n  d\n---\n\nbody\n', 'body'],
    ['capital keys', '---\nFrom: a\nTo: b\nRe: c\n---\n\nbody\n', 'body'],
  ])('the flat-file format reads a foreign file with %s', (_, text, expected) => {
    const [found, ...others] = read(text);
    expect(others).toEqual([]);
    expect(found?.fields.get('from')).toBe('a');
    expect(found?.fields.get('to')).toBe('b');
    expect(found?.body).toBe(expected);
  });

  it('the flat-file format lets the last of two status lines count', () => {
    const [found] = read('---\nfrom: a\nto: b\nre: c\nstatus: pending\nstatus: actioned\n---\n\nx\n');
    expect(found?.fields.get('status')).toBe('actioned');
  });

  it('the flat-file format keeps messages on both sides of a file header in mid-file', () => {
    const text = `${writeBlock(message({ re: 'one' }, 'x'))}${newFileHeader('inbox.md')}${writeBlock(message({ re: 'two' }, 'y'))}`;
    expect(read(text).map(({ fields, body: found }) => [fields.get('re'), found])).toEqual([
      ['one', 'x'],
      ['two', 'y'],
    ]);
  });

  it('the flat-file format notices an envelope that is never closed and keeps every other message', () => {
    const damage: FoundDamage[] = [];
    const text = `${writeBlock(message({ re: 'one' }))}---\nfrom: a\nto: b\nre: torn\n\ntext\n\n${writeBlock(message({ re: 'two' }))}`;
    const found = [...scanBlocks(bufferSource(Buffer.from(text)), { onDamage: (each) => damage.push(each) })];
    expect(found.map(({ fields }) => fields.find(({ key }) => key === 're')?.value)).toEqual(['one', 'two']);
    expect(damage).toHaveLength(1);
  });

  it('the flat-file format finds blocks wherever the pieces it reads end', () => {
    const blocks = Array.from({ length: 400 }, (_, n) =>
      writeBlock(message({ re: `m${n}` }, 'x'.repeat(n * 37))),
    );
    const bytes = Buffer.from(blocks.join(''));
    const stingy = {
      size: bytes.length,
      read: (start: number, length: number) => bytes.subarray(start, start + Math.min(length, 300_000)),
    };
    expect([...messagesIn(stingy)].map(({ fields }) => fields.get('re'))).toEqual(
      blocks.map((_, n) => `m${n}`),
    );
  });
});

describe('a message as input', () => {
  const good = '---\nfrom: a\nto: b\nre: c\n---\n\nhello\n';

  it('an input message is an envelope and a literal body', () => {
    expect(parseInput(good).body).toBe('hello');
    expect(parseInput(`\ufeff\n${good}`).body).toBe('hello');
    for (const body of ['', 'x', 'x\n', 'x\n\n', '\n'])
      expect(parseInput(`---\nfrom: a\nto: b\nre: c\n---\n\n${body}\n`).body).toBe(body);
    expect(parseInput('---\nfrom: a\nto: b\nre: c\n---\n\nx\n---\nfrom: e\nto: b\nre: c\n---\n').body).toBe(
      'x\n---\nfrom: e\nto: b\nre: c\n---',
    );
  });

  it.each<[string, string | Uint8Array, RegExp]>([
    ['nothing', '', /empty/],
    ['only blanks', ' \n\n', /empty/],
    ['no envelope', 'hello', /begin with a line ---/],
    ['an open envelope', '---\nfrom: a\nto: b\nre: c\n', /not closed/],
    ['no from', '---\nto: b\nre: c\n---\n', /from is missing/],
    ['an empty to', '---\nfrom: a\nto:\nre: c\n---\n', /to is missing/],
    ['no re', '---\nfrom: a\nto: b\n---\n', /re is missing/],
    ['a line that is no field', '---\nfrom: a\nwhat is this\n---\n', /line 3.*what is this/],
    ['a field twice', '---\nfrom: a\nfrom: b\nto: b\nre: c\n---\n', /from occurs twice/],
    [
      'an unknown status',
      '---\nfrom: a\nto: b\nre: c\nstatus: pendign\n---\n',
      /status must be one of pending/,
    ],
    [
      'an unknown priority',
      '---\nfrom: a\nto: b\nre: c\npriority: urgent\n---\n',
      /priority must be one of high/,
    ],
    ['a wrong date', '---\nfrom: a\nto: b\nre: c\ncreated: yesterday\n---\n', /created must be an ISO-8601/],
    ['a blank in the id', '---\nfrom: a\nto: b\nre: c\nmsg-id: a b\n---\n', /msg-id must be/],
    ['an empty id', '---\nfrom: a\nto: b\nre: c\nmsg-id:\n---\n', /msg-id must be/],
    ['attempts that are no number', '---\nfrom: a\nto: b\nre: c\nattempts: many\n---\n', /attempts must be/],
    ['a carriage return in a value', '---\nfrom: a\nto: b\nre: c\rfrom: eve\n---\n', /re must be one line/],
    ['an escape sequence in a value', '---\nfrom: a\nto: b\nre: \u001b[2J\n---\n', /re must be one line/],
    [
      'a value in quotes that hides a newline',
      '---\nfrom: a\nto: b\nre: "c\\nfrom: eve"\n---\n',
      /re must be one line/,
    ],
    ['a line separator in a value', '---\nfrom: a\nto: b\nre: c\u2028d\n---\n', /re must be one line/],
    ['a value too long', `---\nfrom: a\nto: b\nre: ${'x'.repeat(5000)}\n---\n`, /re is longer/],
    ['U+0000 in the body', '---\nfrom: a\nto: b\nre: c\n---\n\na\u0000b', /body contains U\+0000/],
    ['bytes that are not UTF-8', Buffer.from([0x2d, 0x2d, 0x2d, 0xff]), /not valid UTF-8/],
    ['fields of the file header', '---\nmailbox: inbox\nfrom: a\nto: b\nre: c\n---\n', /file header/],
    ['a capital or odd key', '---\nfrom: a\nto: b\nre: c\nké: d\n---\n', /line 5/],
  ])('an input message is refused with %s, naming what is wrong', (_, input, words) => {
    expect(() => parseInput(input)).toThrowError(
      expect.objectContaining({ code: 'invalid', message: expect.stringMatching(words) }),
    );
  });
});
