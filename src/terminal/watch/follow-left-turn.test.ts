import { describe, expect, it } from 'vitest';
import { Emitter, FakeClock, silentLog } from '../../base/index.ts';
import type { SignalReader, TurnEnd } from '../../tools/index.ts';
import type { LaneContext } from '../lane-context.ts';
import { followLeftTurn } from './follow-left-turn.ts';
import type { Snapshot } from './snapshot.ts';

const PROMPT = 'look at your mail';
const SINCE = '2026-01-01T00:00:00.000Z';
const END: TurnEnd = { source: 'rollout', atUtc: '2026-01-01T00:00:09.000Z', result: 'success' };

/** A tool that reports `end` for this prompt's turn, and whether it may be disturbed. */
function watched(signals: SignalReader[] = []) {
  const recorded: object[] = [];
  const changed = new Emitter<Snapshot>();
  const now = { end: undefined as TurnEnd | undefined, ready: true };
  const reporting: SignalReader = {
    read: () => [],
    turnEnd: (text, sinceMs) => (text === PROMPT && sinceMs === Date.parse(SINCE) ? now.end : undefined),
    answerSince: () => 'Done.',
    close: () => {},
  };
  const tracker = {
    changed,
    snapshot: {},
    signals: signals.length > 0 ? signals : [reporting],
    gate: () => ({ ready: now.ready }),
  };
  const on = { clock: new FakeClock(), log: silentLog, tracker } as unknown as LaneContext;
  const record = async (stage: string, { source, facts }: { source: string; facts: object }) =>
    void recorded.push({ stage, source, ...facts });
  const stop = followLeftTurn({ text: PROMPT, sinceUtc: SINCE, record }, on);
  const look = (change: Partial<typeof now>): void => {
    Object.assign(now, change);
    changed.emit({} as Snapshot);
  };
  return { recorded, look, stop };
}

describe('a turn that an earlier process saw begin', () => {
  it('the end of a turn of an earlier process is reported once, when its tool reports it and is ready', () => {
    const { recorded, look } = watched();
    look({});
    look({ end: END, ready: false });
    expect(recorded).toEqual([]);
    look({ ready: true });
    look({});
    const facts = { result: 'success', ended_at_utc: END.atUtc, answer: 'Done.' };
    expect(recorded).toEqual([{ stage: 'turn_finished', source: 'rollout', ...facts }]);
  });

  it('the end of a turn is not reported after following has stopped', () => {
    const { recorded, look, stop } = watched();
    stop!();
    look({ end: END });
    expect(recorded).toEqual([]);
  });

  it('a turn of an earlier process is not followed if the tool never reports its end', () => {
    expect(watched([{ read: () => [], close: () => {} }]).stop).toBeUndefined();
  });
});
