import { describe, expect, it } from 'vitest';
import { type ToolSignal, weighSignals } from './tool-signals.ts';

const file = (state: ToolSignal['state'], ageMs: number, writerAlive = true): ToolSignal => ({
  source: 'claude_status_file',
  state,
  ageMs,
  writerAlive,
});
const hook = (state: ToolSignal['state'], ageMs: number): ToolSignal => ({
  source: 'claude_hooks',
  state,
  ageMs,
  isEvent: true,
});

describe("a tool's own signals", () => {
  it('without signals of the tool the state is none', () => {
    expect(weighSignals([])).toMatchObject({ state: 'none', source: null });
  });

  it('a signal file is not believed if its writer is dead', () => {
    const verdict = weighSignals([file('busy', 10, false)]);
    expect(verdict.state).toBe('none');
    expect(verdict.dismissed).toEqual([{ source: 'claude_status_file', because: 'its writer is dead' }]);
  });

  it('among signals, waiting beats busy and busy beats idle', () => {
    expect(weighSignals([file('idle', 9), { source: 'title', state: 'busy', ageMs: 0 }]).state).toBe('busy');
    expect(weighSignals([file('waiting', 9), { source: 'title', state: 'busy', ageMs: 0 }]).state).toBe(
      'waiting',
    );
  });

  it('a start without an end is dropped if a newer status file shows idle', () => {
    expect(weighSignals([hook('busy', 5000), file('idle', 100)]).state).toBe('idle');
  });

  it('a start that is newer than the status file is kept', () => {
    expect(weighSignals([hook('busy', 50), file('idle', 100)])).toMatchObject({
      state: 'busy',
      isEvent: true,
    });
  });

  it('an interrupt and a failure are taken from the signals', () => {
    expect(weighSignals([{ source: 'codex_rollout', state: 'interrupted', ageMs: 1 }])).toMatchObject({
      state: 'idle',
      interrupted: true,
    });
  });
});
