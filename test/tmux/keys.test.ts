import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SessionLine } from '../../src/tmux/index.ts';
import { pastePane, sessionNames, withTmux } from '../support/tmux.ts';
import { openReader } from './reader.ts';

describe('keys', () => {
  it.each([
    'trailing;',
    ';',
    '\\;',
    'back\\\\;',
    '-l',
    '--',
    '-X cancel',
    'Enter',
    'C-c',
    '#{pid} #(id)',
    '$HOME ~ "quoted" \'single\'',
    '~',
    '{ a ; b }',
    '%if x',
    'ünï¢ødé 日本語',
  ])('tmux types %j literally', (text) =>
    withTmux(async (context) => {
      const reader = await openReader(context, 'plain');
      await context.tmux.sendLiteral(reader.paneId, `${text}`);
      await context.tmux.sendLiteral(reader.paneId, '|END');
      expect(await reader.untilText('|END')).toBe(`${text}|END`);
      reader.close();
    }),
  );

  it('tmux types any text literally, by process and by control client', () =>
    withTmux(async (context) => {
      const reader = await openReader(context, 'plain');
      const client = await SessionLine.join(context.tmux.exec, (await sessionNames(context.tmux))[0]!);
      let expected = '';
      let count = 0;
      await fc.assert(
        fc.asyncProperty(
          fc.string({ unit: printable, minLength: 1, maxLength: 60 }),
          fc.boolean(),
          async (text, fast) => {
            const mark = `|${count++}|`;
            const tmux = fast ? context.tmux.via(client) : context.tmux;
            await tmux.sendLiteral(reader.paneId, text);
            await tmux.sendLiteral(reader.paneId, mark);
            expected += text + mark;
            const got = (await reader.until((bytes) => bytes.toString().endsWith(mark))).toString();
            expect(got).toBe(expected);
          },
        ),
        { numRuns: 80 },
      );
      await client.close();
      reader.close();
    }));

  it('tmux types text that is longer than one command in order', () =>
    withTmux(async (context) => {
      const reader = await openReader(context, 'plain');
      const text = Array.from({ length: 3_000 }, (_, n) => `${n}é"\\;`).join('');
      expect(Buffer.byteLength(text)).toBeGreaterThan(16_384);
      await context.tmux.sendLiteral(reader.paneId, `${text}|END`);
      expect(await reader.untilText('|END')).toBe(`${text}|END`);
      reader.close();
    }));

  it('tmux sends named keys as what a keyboard sends', () =>
    withTmux(async (context) => {
      const reader = await openReader(context, 'plain');
      for (const key of [
        'Escape',
        'Up',
        'Down',
        'Left',
        'Right',
        'Tab',
        'BSpace',
        'C-c',
        'C-d',
        'C-z',
        'C-u',
        ';',
      ]) {
        await context.tmux.sendKeyName(reader.paneId, key);
      }
      await context.tmux.sendLiteral(reader.paneId, 'END');
      expect(await reader.untilText('END')).toBe(
        '\u001b\u001b[A\u001b[B\u001b[D\u001b[C\t\u007f\u0003\u0004\u001a\u0015;END',
      );
      reader.close();
    }));

  it('tmux presses Enter as exactly one CR in each of the three ways', () =>
    withTmux(async (context) => {
      const reader = await openReader(context);
      for (const way of ['paste', 'byte', 'name'] as const) {
        await context.tmux.pressEnter(reader.paneId, { way });
        await context.tmux.sendLiteral(reader.paneId, way);
      }
      expect(await reader.untilText('name')).toBe('\rpaste\rbyte\rname');
      expect(await context.tmux.run([['list-buffers']])).toBe('');
      reader.close();
    }));

  it.each(['', 'NoSuchKey', 'enter', 'Enter Enter', 'C-', 'é', '-X'])(
    'tmux refuses %j as the name of a key',
    (key) =>
      withTmux(async ({ tmux }) => {
        await expect(tmux.sendKeyName('%0', key)).rejects.toMatchObject({ code: 'invalid' });
      }),
  );

  it.each([
    ['', /nothing to type/],
    ['\u001b[A', /U\+001B/],
    ['a\r', /U\+000D/],
  ])('tmux refuses to type %j', (text, message) =>
    withTmux(async ({ tmux }) => {
      await expect(tmux.sendLiteral('%0', text)).rejects.toThrow(message);
    }),
  );

  it('tmux does not type into other panes: keys are refused while a window is synchronized, a paste goes to one pane', () =>
    withTmux(async (context) => {
      const { tmux } = context;
      const reader = await openReader(context, 'plain');
      await tmux.run([
        ['split-window', '-d', '-t', reader.paneId, 'cat'],
        ['set-option', '-w', '-t', reader.windowId, 'synchronize-panes', 'on'],
      ]);
      await expect(tmux.sendKeyName(reader.paneId, 'a')).rejects.toMatchObject({
        code: 'not_ready',
        facts: { condition: 'pane_synchronized' },
      });
      await pastePane(tmux, reader.paneId, 'END');
      expect(await reader.untilText('END')).toBe('END');
      reader.close();
    }));
});

const printable = fc
  .oneof(
    fc.constantFrom(...';\\"\'$~#{}()%-=`!*?[] \t'),
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 1 }),
  )
  .filter((unit) => !/[\u0000-\u0008\u000a-\u001f\u007f-\u009f]/.test(unit));
