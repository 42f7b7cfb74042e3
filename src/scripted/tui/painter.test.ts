import xterm from '@xterm/headless';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DIALOG_KINDS } from '../control/directives.ts';
import { openDialog } from './dialog.ts';
import { blockLines, liveLines } from './layout.ts';
import { FullScreenPainter, InlinePainter } from './painter.ts';
import { SKINS } from './skins.ts';
import type { Block, View } from './view.ts';

const skins = [...SKINS.values()];

/** What a terminal of that size shows after these frames, and where its cursor is. */
async function screenOf(
  frames: string[],
  columns: number,
  rows: number,
): Promise<{ text: string[]; all: string[]; cursor: string }> {
  const terminal = new xterm.Terminal({ cols: columns, rows, allowProposedApi: true, scrollback: 5000 });
  terminal.write('\u001b[?7l');
  for (const frame of frames) await new Promise<void>((resolve) => terminal.write(frame, resolve));
  const { active } = terminal.buffer;
  const text = Array.from({ length: rows }, (_, row) =>
    (active.getLine(active.baseY + row)?.translateToString(true) ?? '').trimEnd(),
  );
  const all = Array.from({ length: active.length }, (_, row) =>
    (active.getLine(row)?.translateToString(true) ?? '').trimEnd(),
  );
  const cursor = `${active.cursorX},${active.cursorY}`;
  terminal.dispose();
  return { text, all, cursor };
}

const ascii = fc.string({ unit: 'grapheme-ascii', maxLength: 60 });

const step = fc.record({
  draft: fc.oneof(fc.constant(''), ascii, fc.constant('one\ntwo\nthree')),
  say: fc.option(fc.oneof(ascii, fc.constant('many words '.repeat(40)))),
  kind: fc.constantFrom<Block['kind']>('prompt', 'answer', 'notice', 'shell'),
  pending: fc.array(ascii, { maxLength: 2 }),
  busy: fc.option(fc.record({ elapsedMs: fc.nat(9000), frame: fc.nat(50), answer: ascii }), {
    nil: undefined,
  }),
  dialog: fc.option(fc.constantFrom(...DIALOG_KINDS), { nil: undefined }),
  banner: fc.option(ascii, { nil: undefined }),
});

type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

function viewsOf(skin: (typeof skins)[number], columns: number, rows: number, steps: Step[]): View[] {
  const blocks: Block[] = [{ id: 1, kind: 'banner', text: '' }];
  return steps.map((each) => {
    if (each.say !== null) blocks.push({ id: blocks.length + 1, kind: each.kind, text: each.say });
    return {
      skin,
      columns,
      rows,
      name: 'agent',
      cwd: '/work',
      blocks: [...blocks],
      pending: each.pending,
      draft: { text: each.draft, cursor: each.draft.length },
      shellMode: false,
      busy: each.busy,
      dialog: each.dialog && openDialog('d1', { kind: each.dialog }, skin.dialog),
      banner: each.banner,
      hint: undefined,
      menu: [],
    };
  });
}

describe('the painters', () => {
  it.each(skins)('the painter shows $name after any changes as one whole frame would', async (skin) => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 24, max: 90 }),
        fc.integer({ min: 10, max: 30 }),
        fc.array(step, { minLength: 1, maxLength: 6 }),
        async (columns, rows, steps) => {
          const views = viewsOf(skin, columns, rows, steps);
          const painter = skin.screen === 'alternate' ? new FullScreenPainter() : new InlinePainter();
          const frames = views.map((view) => painter.paint(view));
          const { text, all } = await screenOf(frames, columns, rows);
          const last = views.at(-1)!;
          if (skin.screen === 'alternate') {
            const afresh = await screenOf([new FullScreenPainter().paint(last)], columns, rows);
            expect(text).toEqual(afresh.text);
          } else {
            const { stream, lines } = liveLines(last);
            const blocks = last.blocks.flatMap((block) => blockLines(block, last));
            const afresh = await screenOf([[...blocks, ...stream, ...lines].join('\r\n')], columns, rows);
            expect(withoutTail(all)).toEqual(withoutTail(afresh.all));
          }
        },
      ),
      { numRuns: 15 },
    );
  });

  it.each(skins)('the painter puts the cursor of $name after the draft', async (skin) => {
    const [view] = viewsOf(skin, 80, 24, [
      {
        draft: 'MARK',
        say: null,
        kind: 'notice',
        pending: [],
        busy: undefined,
        dialog: undefined,
        banner: undefined,
      },
    ]);
    const painter = skin.screen === 'alternate' ? new FullScreenPainter() : new InlinePainter();
    const { text, cursor } = await screenOf([painter.paint(view!)], 80, 24);
    const row = text.findIndex((line) => line.includes('MARK'));
    expect(cursor).toBe(`${text[row]!.indexOf('MARK') + 4},${row}`);
  });

  it.each(skins)('the painter writes little for $name when one character changed', (skin) => {
    const plain = {
      say: null,
      kind: 'notice' as const,
      pending: [],
      busy: undefined,
      dialog: undefined,
      banner: undefined,
    };
    const steps = [
      { ...plain, draft: 'a', say: 'many words '.repeat(60) },
      { ...plain, draft: 'ab' },
    ];
    const painter = skin.screen === 'alternate' ? new FullScreenPainter() : new InlinePainter();
    const [whole, change] = viewsOf(skin, 80, 24, steps).map((view) => painter.paint(view));
    expect(change!.length).toBeLessThan(whole!.length / 3);
  });
});

const withoutTail = (rows: string[]): string[] => rows.slice(0, rows.findLastIndex((row) => row !== '') + 1);
