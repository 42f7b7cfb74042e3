import { describe, expect, it } from 'vitest';
import { RouseError, systemClock } from '../../../base/index.ts';
import { DEFAULT_PATIENCE, type LaneContext } from '../../lane-context.ts';
import type { Snapshot } from '../../watch/snapshot.ts';
import { resetChat } from './reset-chat.ts';

const COMMAND = '/new';

/** What tmux reports when the screen is not as it was at the last look. */
const moved = (): Error =>
  new RouseError('not_ready', 'the cursor has moved', { facts: { tmux: 'refused' } });

/** A tool whose screen moves just before each of the first `moves` Enters, as when it draws its list of commands late. */
function toolThatMoves(moves: number) {
  let text = '';
  const entered: string[] = [];
  const listeners = new Set<(snapshot: Snapshot) => void>();
  const look = (): Snapshot =>
    ({
      facts: {
        composer: {
          value: { mode: 'prompt', state: text ? 'draft' : 'empty', text, region: { textColumn: 2 } },
        },
        dialog: { value: null },
        menu: { value: null },
        copy_mode: false,
      },
      foreground: { kind: 'tool' },
      people: { typing: false },
      view: { pane: { id: '%0', cursorX: 2 + text.length, cursorY: 20 } },
    }) as unknown as Snapshot;
  const put = async (next: string): Promise<void> => {
    text = next;
    for (const listener of listeners) listener(look());
  };
  const context = {
    tracker: {
      detector: { input: { resetCommand: COMMAND, clearKeys: ['C-u'] } },
      gate: () => ({ ready: true, reasons: [] }),
      look: async () => look(),
      get snapshot() {
        return look();
      },
      changed: {
        on: (hear: (snapshot: Snapshot) => void) => {
          listeners.add(hear);
          return () => listeners.delete(hear);
        },
      },
    },
    watch: {
      keenly: () => () => {},
      tmux: {
        sendLiteral: (_: string, literal: string) => put(literal),
        sendKeyName: () => put(''),
        pressEnter: async () => {
          if (moves-- > 0) throw moved();
          entered.push(text);
          await put('');
        },
      },
    },
    clock: systemClock,
    patience: DEFAULT_PATIENCE,
    notes: { read: () => undefined, erasing: () => {} },
  } as unknown as LaneContext;
  return { context, entered, text: () => text };
}

describe('the command for a new chat', () => {
  it('the command for a new chat is entered once, although the screen moves before Enter', async () => {
    const tool = toolThatMoves(3);
    expect(await resetChat(tool.context)).toBeUndefined();
    expect([tool.entered, tool.text()]).toEqual([[COMMAND], '']);
  });

  it('the command for a new chat is erased when the screen never holds still', async () => {
    const tool = toolThatMoves(Number.POSITIVE_INFINITY);
    const result = await resetChat(tool.context);
    expect(result).toMatchObject({ outcome: 'failed', untouched: true });
    expect(JSON.stringify(result?.reasons)).toContain('the text was taken back');
    expect([tool.entered, tool.text()]).toEqual([[], '']);
  });
});
