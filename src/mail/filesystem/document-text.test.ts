import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { MailDocument } from '../../domain/index.ts';
import { parseDocument, renderDocument } from './document-text.ts';

const ID = `msg-20260102T030405Z-${'a'.repeat(32)}`;

function document(changes: Partial<MailDocument> = {}): MailDocument {
  return {
    protocol_version: 1,
    message_id: ID,
    thread_id: ID,
    in_reply_to: null,
    references: [],
    created_at_utc: '2026-01-02T03:04:05Z',
    from: { principal_id: 'HOUMAO-alice', address: 'alice@houmao.localhost' },
    to: [{ principal_id: 'HOUMAO-bob', address: 'bob@houmao.localhost', display_name: 'Bob' }],
    cc: [],
    reply_to: [],
    subject: 'Plain words',
    attachments: [],
    headers: {},
    body: 'Hello\n',
    ...changes,
  };
}

describe('the text of a message file', () => {
  it('the text of a message file is front matter people can read, an empty line and the body', () => {
    expect(renderDocument(document())).toBe(`---
protocol_version: 1
message_id: ${ID}
thread_id: ${ID}
in_reply_to: null
references: []
created_at_utc: "2026-01-02T03:04:05Z"
from:
  principal_id: HOUMAO-alice
  address: alice@houmao.localhost
to:
  - principal_id: HOUMAO-bob
    address: bob@houmao.localhost
    display_name: Bob
cc: []
reply_to: []
subject: Plain words
attachments: []
headers: {}
---

Hello
`);
  });

  it('a message file has no body part if the body is empty', () => {
    expect(renderDocument(document({ body: '' })).endsWith('headers: {}\n---\n')).toBe(true);
  });

  it('a message file returns every message unchanged', () => {
    const line = fc
      .string({ unit: 'grapheme', minLength: 1, maxLength: 60 })
      .map((text) => text.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g, '').trim())
      .filter((text) => text !== '' && !/\p{Surrogate}/u.test(text));
    const body = fc
      .array(
        fc.oneof(fc.string({ unit: 'grapheme' }), fc.constantFrom('\n', '\r\n', '---', '\n---\n', '\ufeff')),
      )
      .map((parts) => parts.join('').replaceAll('\u0000', ''))
      .filter((text) => !/\p{Surrogate}/u.test(text));
    const header = fc.dictionary(
      line.filter((name) => name !== '__proto__'),
      fc.oneof(line, fc.integer(), fc.boolean(), fc.array(line)),
      {
        noNullPrototype: true,
      },
    );
    const made = fc.record({ subject: line, body, headers: header, name: line, label: line });
    fc.assert(
      fc.property(made, ({ name, label, ...parts }) => {
        const message = document({
          ...parts,
          headers: parts.headers,
          from: { principal_id: name, address: 'alice@houmao.localhost', role: label },
          attachments: [
            { attachment_id: 'att-1', kind: 'path_ref', path: `/${label}`, media_type: 'a/b', label },
          ],
        });
        expect(parseDocument(renderDocument(message), 'x')).toEqual(message);
      }),
      { numRuns: 500 },
    );
  });

  it.each([
    'true',
    'No',
    'null',
    '1',
    '1.5',
    '0x10',
    '2026-01-01',
    '~',
    '# not a comment',
    'a: b',
    '- a',
    '[a]',
    '@x',
  ])('keeps the subject %j as text', (subject) => {
    expect(parseDocument(renderDocument(document({ subject })), 'x').subject).toBe(subject);
  });

  const good = renderDocument(document());
  it.each<[string, string]>([
    ['nothing', ''],
    ['no front matter', 'Hello'],
    ['front matter without end', good.replace('\n---\n', '\n')],
    ['an unknown key', good.replace('cc: []', 'cc: []\nbcc: []')],
    ['a repeated key', good.replace('cc: []', 'cc: []\ncc: []')],
    ['another protocol', good.replace('protocol_version: 1', 'protocol_version: 3')],
    ['a number as text', good.replace('protocol_version: 1', 'protocol_version: "1"')],
    ['no recipient', good.replace(/to:\n(?: {2,4}.*\n)+cc/, 'to: []\ncc')],
    ['a blank subject', good.replace('subject: Plain words', 'subject: " "')],
    ['a bad id', good.replaceAll(ID, 'msg-1')],
    ['a root that refers to something', good.replace('references: []', `references: [${ID}]`)],
    [
      'a reply whose references do not end with its parent',
      good.replace('in_reply_to: null', `in_reply_to: ${ID}`),
    ],
    ['an alias bomb', good.replace('headers: {}', 'headers: {a: &a [x], b: *a}')],
    ['U+0000 in the body', good.replace('Hello', 'Hel\u0000lo')],
    [
      'a relative path_ref',
      good.replace(
        'attachments: []',
        'attachments: [{attachment_id: a, kind: path_ref, path: x, media_type: t}]',
      ),
    ],
    [
      'a copy outside the root',
      good.replace(
        'attachments: []',
        'attachments: [{attachment_id: a, kind: managed_copy, path: attachments/managed/../../x, media_type: t}]',
      ),
    ],
  ])('is refused with %s', (_, text) => {
    expect(() => parseDocument(text, 'x.md')).toThrow(expect.objectContaining({ code: 'invalid' }));
  });

  it('a message file may omit empty parts and write optional ones as null', () => {
    const sparse = good
      .replace(
        /(in_reply_to: null|references: \[\]|cc: \[\]|reply_to: \[\]|attachments: \[\]|headers: \{\})\n/g,
        '',
      )
      .replace('display_name: Bob', 'display_name: Bob\n    role: null');
    expect(parseDocument(sparse, 'x')).toEqual(document());
  });
});
