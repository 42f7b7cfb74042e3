import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ControlMessage, ControlParser } from './control-parser.ts';

interface Written {
  wire: Buffer;
  means: ControlMessage;
}

/** As tmux writes program output: bytes below a space and the backslash in octal, all others as they are. */
function escaped(bytes: Uint8Array): Buffer {
  const parts = [...bytes].map((byte) =>
    byte < 0x20 || byte === 0x5c
      ? Buffer.from(`\\${byte.toString(8).padStart(3, '0')}`)
      : Buffer.from([byte]),
  );
  return Buffer.concat(parts);
}

const id = fc.nat({ max: 99 });
const name = fc.string({ unit: 'grapheme', maxLength: 12 }).filter((text) => !/[\n\r]/.test(text));

const output: fc.Arbitrary<Written> = fc
  .tuple(id, fc.uint8Array({ maxLength: 80 }), fc.boolean(), id)
  .map(([pane, bytes, extended, age]) => ({
    wire: Buffer.concat([
      Buffer.from(extended ? `%extended-output %${pane} ${age} : ` : `%output %${pane} `),
      escaped(bytes),
      Buffer.from('\n'),
    ]),
    means: { kind: 'output', pane: `%${pane}`, bytes: Buffer.from(bytes) },
  }));

const blockLine = fc.oneof(
  name,
  fc.constantFrom(
    '%end 1 2 1',
    '%error 1 2 1',
    '%begin 7 8 1',
    '%exit',
    '%output %1 x',
    '',
    '%end',
    '%session-changed $1 x',
  ),
);
const block: fc.Arbitrary<Written> = fc
  .tuple(
    fc.array(blockLine, { maxLength: 6 }),
    fc.integer({ min: 100, max: 9_999 }),
    fc.boolean(),
    fc.boolean(),
  )
  .map(([lines, number, ok, own]) => {
    const mark = `1794776857 ${number} ${own ? 1 : 0}`;
    return {
      wire: Buffer.from([`%begin ${mark}`, ...lines, `${ok ? '%end' : '%error'} ${mark}`, ''].join('\n')),
      means: { kind: 'block', own, ok, lines },
    };
  });

const notification: fc.Arbitrary<Written> = fc
  .tuple(id, id, name)
  .chain(([a, b, label]) =>
    fc
      .constantFrom<[string, ControlMessage]>(
        [`%pause %${a}`, { kind: 'pause', pane: `%${a}` }],
        [`%pane-mode-changed %${a}`, { kind: 'pane-mode-changed', pane: `%${a}` }],
        [`%window-add @${a}`, { kind: 'window-add', window: `@${a}` }],
        [`%window-close @${a}`, { kind: 'window-close', window: `@${a}` }],
        [`%unlinked-window-close @${a}`, { kind: 'window-close', window: `@${a}` }],
        [`%window-renamed @${a} ${label}`, { kind: 'window-renamed', window: `@${a}`, name: label }],
        [`%window-pane-changed @${a} %${b}`, { kind: 'window-pane-changed', window: `@${a}`, pane: `%${b}` }],
        [`%layout-change @${a} b25d,80x24,0,0,0 x *`, { kind: 'layout-change', window: `@${a}` }],
        [`%session-changed $${a} ${label}`, { kind: 'session-changed', session: `$${a}`, name: label }],
        [`%session-renamed $${a} ${label}`, { kind: 'session-renamed', session: `$${a}`, name: label }],
        [
          `%session-window-changed $${a} @${b}`,
          { kind: 'session-window-changed', session: `$${a}`, window: `@${b}` },
        ],
        ['%sessions-changed', { kind: 'sessions-changed' }],
        [
          `%client-session-changed /dev/pts/${a} $${b} ${label}`,
          { kind: 'client-session-changed', client: `/dev/pts/${a}`, session: `$${b}` },
        ],
        [`%client-detached client-${a}`, { kind: 'client-detached', client: `client-${a}` }],
        [
          `%subscription-changed w $${a} @${b} 0 %${a} : ${label}`,
          { kind: 'subscription-changed', name: 'w', value: label },
        ],
        [`%exit ${label}`, { kind: 'exit', reason: label }],
        ['%exit', { kind: 'exit', reason: '' }],
        [`%something-newer %${a} ${label}`, { kind: 'other', line: `%something-newer %${a} ${label}` }],
        ['%window-pane-changed', { kind: 'other', line: '%window-pane-changed' }],
      )
      .map(([wire, means]) => ({ wire: Buffer.from(`${wire}\n`), means })),
  );

/** Cuts a stream at the given places. */
function cut(wire: Buffer, places: number[]): Buffer[] {
  const at = [...new Set(places.map((place) => place % (wire.length + 1)))].sort((a, b) => a - b);
  return [0, ...at].map((from, index) => wire.subarray(from, at[index] ?? wire.length));
}

describe('control mode', () => {
  it('control mode is read the same however the stream is cut', () => {
    const written = fc.array(fc.oneof(output, block, notification), { maxLength: 12 });
    const check = fc.property(written, fc.array(fc.nat(), { maxLength: 30 }), (messages, places) => {
      const parser = new ControlParser();
      const chunks = cut(Buffer.concat(messages.map(({ wire }) => wire)), places);
      expect(chunks.flatMap((chunk) => [...parser.feed(chunk)])).toEqual(messages.map(({ means }) => means));
    });
    void fc.assert(check, { numRuns: 400 });
  });

  it('the control mode parser never throws', () => {
    const check = fc.property(fc.array(fc.uint8Array({ maxLength: 40 })), (chunks) => {
      const parser = new ControlParser();
      for (const chunk of chunks)
        for (const message of parser.feed(Buffer.from(chunk))) expect(message.kind).toBeTruthy();
    });
    void fc.assert(check);
  });

  it('a control mode block ends only with the time, number and flags it began with', () => {
    const lines = ['%begin 5 9 1', '%end 5 8 1', '%end 4 9 1', '%end 5 9 0', '%end 5 9 1 ', '%end 5 9 1', ''];
    expect([...new ControlParser().feed(Buffer.from(lines.join('\n')))]).toEqual([
      { kind: 'block', own: true, ok: true, lines: lines.slice(1, 5) },
    ]);
  });

  it('a control mode end without a beginning is a broken stream', () => {
    expect(
      [...new ControlParser().feed(Buffer.from('%end 5 9 1\n%error 5 9 1\n'))].map(({ kind }) => kind),
    ).toEqual(['broken', 'broken']);
  });
});
