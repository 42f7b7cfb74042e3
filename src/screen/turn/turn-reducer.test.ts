import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { detectorFor } from '../../tools/index.ts';
import type { Facts } from '../facts.ts';
import { parseSnapshot } from '../model/snapshot-parser.ts';
import { observe } from '../observe.ts';
import type { ToolSignal } from '../tool-signals.ts';
import { decideReadiness } from './readiness.ts';
import { stabilityAt, stillBeforeTyping } from './stability.ts';
import { notePrompt, reduceTurn } from './turn-reducer.ts';
import { NO_TURN, type TurnState } from './turn-state.ts';

const claude = detectorFor('claude');

const TIMES = {
  completion_stability_seconds: 1,
  stale_active_recovery_seconds: 5,
  final_stable_active_recovery_seconds: 20,
  unknown_to_stalled_timeout_seconds: 30,
};
const RULE = '─'.repeat(60);

function screen(above: string[], text = '', below = '  ? for shortcuts'): Facts {
  return facts(above, text, below, []);
}

function facts(above: string[], text: string, below: string, signals: ToolSignal[]): Facts {
  const lines = [...above, '', RULE, `❯ ${text}`, RULE, below];
  return observe({
    screen: parseSnapshot(lines.join('\n'), {
      columns: 60,
      height: lines.length,
      cursor: { x: 2 + text.length, y: above.length + 2 },
      title: '✳ x',
    }),
    detector: claude,
    process: { foreground: 'tool' },
    signals,
  });
}

const idle = screen(['● hello', '✻ Worked for 1s']);
const asked = ['❯ do it'];
const busy = screen([...asked, '✻ Thinking… (1s)'], '', '  esc to interrupt');
const done = screen([...asked, '● did it', '✻ Worked for 3s']);
const interrupted = screen([...asked, '● half', '  ⎿  Interrupted · What now?']);
const failed = screen([...asked, '● API Error: 500', '✻ Worked for 1s']);
const gone = observe({ screen: undefined, detector: claude, process: { foreground: 'gone' } });
const dialog = observe({
  screen: parseSnapshot('Do you want to proceed?\n ❯ 1. Yes\n   2. No\n\n Esc to cancel', {
    cursor: { x: 1, y: 1 },
  }),
  detector: claude,
  process: { foreground: 'tool' },
});

/** Plays [seconds, facts] one after the other. */
function play(start: TurnState, ...steps: [number, Facts][]): TurnState {
  return steps.reduce((state, [seconds, seen]) => reduceTurn(state, seen, at(seconds), TIMES), start);
}

const at = (seconds: number) => ({
  ms: seconds * 1000,
  utc: new Date(Date.UTC(2026, 0, 1) + seconds * 1000).toISOString(),
});

const reporting = (state: ToolSignal['state'], above: string[], below?: string): Facts =>
  facts(above, '', below ?? '  ? for shortcuts', [{ source: 'status_file', state, ageMs: 0 }]);

describe('a tool that reports the end of its turn', () => {
  const before = notePrompt(play(NO_TURN, [0, idle]), idle, at(1));
  const working = reporting('busy', [...asked, '✻ Thinking… (1s)'], '  esc to interrupt');
  const ended = reporting('idle', [...asked, '● did it', '✻ Worked for 3s']);

  it('the reported end of a turn is believed at once, and the screen need be still only for a moment', () => {
    const state = play(before, [1.2, working], [4, ended]);
    expect(state).toMatchObject({ phase: 'ready', endReported: true, lastTurn: { result: 'success' } });
    expect(stillBeforeTyping(state, ended, 1)).toBe(0.1);
    expect(stillBeforeTyping(state, ended, 0.05)).toBe(0.05);
    expect(stillBeforeTyping(state, done, 1)).toBe(1);
  });

  it('the reported end of a turn is not believed if its start was never reported', () => {
    const state = play(before, [1.2, busy], [4, ended]);
    expect(state).toMatchObject({ endReported: false, lastTurn: { result: 'none' } });
  });

  it('the reported end of a turn is not believed while the screen shows work, a dialog or a draft', () => {
    const stillBusy = reporting('idle', [...asked, '✻ Thinking… (3s)'], '  esc to interrupt');
    const draft = facts([...asked, '● did it', '✻ Worked for 3s'], 'wait', '  ? for shortcuts', [
      { source: 'status_file', state: 'idle', ageMs: 0 },
    ]);
    for (const seen of [stillBusy, draft, dialog])
      expect(play(before, [1.2, working], [4, seen])).toMatchObject({
        endReported: false,
        lastTurn: { result: 'none' },
      });
  });

  it('a turn with a reported end is interrupted if the screen shows it', () => {
    const cut = reporting('idle', [...asked, '● half', '  ⎿  Interrupted · What now?']);
    expect(play(before, [1.2, working], [4, cut])).toMatchObject({
      endReported: false,
      lastTurn: { result: 'interrupted' },
    });
  });

  it('the reported end of a turn is forgotten with the next turn', () => {
    const state = play(before, [1.2, working], [4, ended], [5, working]);
    expect(state).toMatchObject({ phase: 'active', endReported: false });
    expect(notePrompt(play(before, [1.2, working], [4, ended]), ended, at(5)).endReported).toBe(false);
  });
});

describe('the turn reducer', () => {
  it('an idle screen is ready, without an outcome', () => {
    const state = play(NO_TURN, [0, idle], [10, idle]);
    expect(state.phase).toBe('ready');
    expect(state.lastTurn).toEqual({ result: 'none', source: 'none', updated_at_utc: null });
  });

  it('a turn is a success once its end was seen for a while', () => {
    const state = play(notePrompt(play(NO_TURN, [0, idle]), idle, at(1)), [1.2, busy], [4, done]);
    expect(state.lastTurn.result).toBe('none');
    const held = play(state, [5.1, done]);
    expect(held.lastTurn).toMatchObject({ result: 'success', source: 'explicit_input' });
    expect(held.anchor).toBeNull();
  });

  it('a turn that no one noted is inferred', () => {
    const state = play(NO_TURN, [0, idle], [1, busy], [4, done], [5.1, done]);
    expect(state.lastTurn).toMatchObject({ result: 'success', source: 'surface_inference' });
  });

  it('a noted prompt is active at once, whatever the screen still shows', () => {
    const noted = notePrompt(play(NO_TURN, [0, idle]), idle, at(1));
    expect(noted.phase).toBe('active');
    expect(play(noted, [1.1, idle], [5, idle]).phase).toBe('active');
  });

  it('the outcome of the last turn is not taken for that of the noted one', () => {
    const before = play(NO_TURN, [0, interrupted]);
    const noted = notePrompt(before, interrupted, at(1));
    expect(play(noted, [1.1, interrupted], [3, interrupted])).toMatchObject({
      phase: 'active',
      lastTurn: { result: 'none' },
    });
    const beforeDone = notePrompt(play(NO_TURN, [0, done]), done, at(1));
    expect(play(beforeDone, [1.1, done], [4, done]).lastTurn.result).toBe('none');
  });

  it('a noted prompt without a turn expires, without success', () => {
    const noted = notePrompt(play(NO_TURN, [0, done]), done, at(1));
    const late = play(noted, [1.1, done], [10, done], [22, done]);
    expect(late.phase).toBe('ready');
    expect(late.lastTurn.result).toBe('none');
    expect(late.anchor).toBeNull();
  });

  it('time alone never makes an agent ready if the composer does not show it', () => {
    const noted = notePrompt(play(NO_TURN, [0, idle]), idle, at(1));
    const typed = screen(['● hello', '✻ Worked for 1s'], 'our own text');
    expect(play(noted, [1.1, typed], [100, typed], [1000, typed]).phase).toBe('active');
    expect(play(noted, [1.1, dialog], [1000, dialog]).phase).not.toBe('ready');
  });

  it('an interrupt and a failure count only for their own turn', () => {
    const noted = notePrompt(play(NO_TURN, [0, idle]), idle, at(1));
    expect(play(noted, [2, busy], [3, interrupted]).lastTurn.result).toBe('interrupted');
    expect(play(noted, [2, busy], [3, failed]).lastTurn.result).toBe('known_failure');
    expect(play(noted, [2, failed]).lastTurn.result).toBe('known_failure');
  });

  it('the old outcome is forgotten when a draft or a new turn begins', () => {
    const over = play(NO_TURN, [0, busy], [1, interrupted]);
    expect(over.lastTurn.result).toBe('interrupted');
    const typed = screen([...asked, '● half', '  ⎿  Interrupted · What now?'], 'draft');
    expect(play(over, [2, typed]).lastTurn.result).toBe('none');
    expect(play(over, [2, busy]).lastTurn.result).toBe('none');
  });

  it('the next turn belongs to the one who began it', () => {
    const noted = notePrompt(play(NO_TURN, [0, idle]), idle, at(1));
    const quiet = screen([...asked, '● did it without a closing row']);
    const state = play(noted, [1.2, busy], [3, quiet], [10, quiet], [11, busy]);
    expect(state.anchor).toMatchObject({ source: 'surface_inference' });
  });

  it('the phase of a tool that is gone is unknown, and its turn is forgotten', () => {
    const state = play(notePrompt(play(NO_TURN, [0, idle]), idle, at(1)), [2, busy], [3, gone]);
    expect(state).toMatchObject({ phase: 'unknown', anchor: null, lastTurn: { result: 'none' } });
    expect(play(state, [100, gone]).phase).toBe('unknown');
    expect(gone.surface.ready_posture.value).toBe('unknown');
    expect(gone.surface.accepting_input.value).toBe('unknown');
  });

  it('a start without an end is overruled after a while with a still, empty composer', () => {
    const hooked = (ageSeconds: number): Facts =>
      facts(['● half'], '', '  ? for shortcuts', [
        { source: 'claude_hooks', state: 'busy', ageMs: ageSeconds * 1000, isEvent: true },
      ]);
    const soon = play(NO_TURN, [1, hooked(1)], [4, hooked(4)]);
    expect(soon.phase).toBe('active');
    const late = play(soon, [8, hooked(8)], [9, hooked(9)]);
    expect(late).toMatchObject({ phase: 'ready', lastTurn: { result: 'none' } });
    expect(play(late, [10, hooked(0.1)]).phase).toBe('active');
  });

  it('a start without an end is kept longer if it is our own prompt that the tool shows', () => {
    const shown = screen(['● hello', '✻ Worked for 1s', '', ...asked]);
    expect(shown.busy).toMatchObject({ value: 'yes', doubtful: true });
    const noted = notePrompt(play(NO_TURN, [0, idle]), idle, at(1));
    const slow = play(noted, [1.1, shown], [9, shown]);
    expect(slow.phase).toBe('active');
    const ended = play(slow, [10, busy], [12, done], [13.5, done]);
    expect(ended.lastTurn).toMatchObject({ result: 'success', source: 'explicit_input' });
    expect(play(slow, [22, shown])).toMatchObject({ phase: 'ready', lastTurn: { result: 'none' } });
  });

  it('a screen is stable if nothing that matters has changed, whatever the footer shows', () => {
    const tip = (text: string): Facts => screen(['● hello', '✻ Worked for 1s'], '', `  ${text}`);
    const state = play(NO_TURN, [0, tip('one tip')], [0.6, tip('another tip')], [1.2, tip('a third')]);
    expect(stabilityAt(state, 1200, 1)).toMatchObject({ stable: true, stable_for_seconds: 1.2 });
    const typed = play(state, [1.3, screen(['● hello', '✻ Worked for 1s'], 'x')]);
    expect(stabilityAt(typed, 1300, 1).stable).toBe(false);
    expect(stabilityAt(NO_TURN, 99_999, 1).stable).toBe(false);
  });

  it('an unreadable screen is called stalled after a while, and nothing else happens', () => {
    const unknown = observe({ screen: undefined, detector: claude, process: { foreground: 'tool' } });
    const early = play(NO_TURN, [0, unknown], [20, unknown]);
    expect(early).toMatchObject({ stalled: false, phase: 'unknown' });
    const late = play(early, [31, unknown]);
    expect(late).toMatchObject({ stalled: true, phase: 'unknown' });
    expect(late.transitions.at(-1)).toMatchObject({
      changed_fields: ['stalled'],
      summary: 'stalled no → yes',
    });
    expect(decideReadiness(unknown, { stable: true, stalled: true })).toMatchObject({
      reasons: [
        { code: 'unknown_screen', value: 'unknown' },
        { code: 'stalled_screen', value: 'yes' },
      ],
    });
    expect(play(late, [32, idle]).stalled).toBe(false);
    expect(decideReadiness(idle, { stable: true, stalled: true }).ready).toBe(true);
  });

  it('a dialog or a tool that is gone is never called stalled', () => {
    const gone = observe({ screen: undefined, detector: claude, process: { foreground: 'gone' } });
    expect(play(NO_TURN, [0, gone], [99, gone]).stalled).toBe(false);
    const asks = facts([], '', '  ? for shortcuts', [
      { source: 'claude_status_file', state: 'waiting', ageMs: 0, writerAlive: true },
    ]);
    expect(asks.dialog.value).not.toBeNull();
    expect(play(NO_TURN, [0, asks], [99, asks]).stalled).toBe(false);
  });

  it('the last 24 transitions are kept, each with its changes', () => {
    let state = NO_TURN;
    for (let second = 0; second < 60; second++) state = play(state, [second, second % 2 ? busy : idle]);
    expect(state.transitions).toHaveLength(24);
    expect(state.transitions.at(-1)?.changed_fields).toContain('turn.phase');
    expect(state.transitions.at(-1)?.summary).toContain('turn.phase ready → active');
    expect(play(state, [60, busy]).transitions.at(-1)).toEqual(state.transitions.at(-1));
  });

  it('a turn is never a success unless its end was seen', () => {
    const pictures = [idle, busy, done, interrupted, failed, gone, dialog];
    const step = fc.tuple(fc.integer({ min: 0, max: 30 }), fc.nat(pictures.length - 1), fc.boolean());
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        let state = NO_TURN;
        let second = 0;
        let evidence = false;
        for (const [wait, index, noted] of steps) {
          second += wait;
          const seen = pictures[index]!;
          if (noted) {
            state = notePrompt(state, seen, at(second));
            evidence = false;
          }
          const before = state.lastTurn.result;
          state = play(state, [second, seen]);
          if (seen.busy.value === 'yes' || (state.anchor && state.anchor.signature !== seen.turn_signature))
            evidence = true;
          if (before !== 'success' && state.lastTurn.result === 'success') {
            expect(evidence && seen.success_candidate.value).toBe(true);
            evidence = false;
          }
          if (seen === gone) expect(state.phase).toBe('unknown');
          if (state.phase === 'ready') expect(seen.phase.value).toBe('ready');
        }
      }),
    );
  });
});
