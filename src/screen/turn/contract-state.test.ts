import { describe, expect, it } from 'vitest';
import { judge, loadFixtures } from '../../../test/screen/captured-fixtures.ts';
import { detectorFor } from '../../tools/index.ts';
import { observe } from '../observe.ts';
import { type ContractInput, contractState, type Probe } from './contract-state.ts';
import { reduceTurn } from './turn-reducer.ts';
import { NO_TURN } from './turn-state.ts';

const claude = detectorFor('claude');

const TIMES = {
  completion_stability_seconds: 1,
  stale_active_recovery_seconds: 5,
  final_stable_active_recovery_seconds: 20,
  unknown_to_stalled_timeout_seconds: 30,
};
const probe: Probe = {
  observedAtUtc: '2026-01-01T00:00:10.000Z',
  transport: 'tmux_up',
  paneId: '%1',
  panePid: 42,
  matchedProcessNames: ['claude'],
  error: null,
};
const fixture = (state: string) =>
  loadFixtures().find(
    (each) => each.tool === 'claude' && each.version === '2.1.325' && each.state === state,
  )!;

function contract(state: string, change: Partial<ContractInput> = {}) {
  const shown = fixture(state);
  const { facts } = judge(shown);
  const turn = reduceTurn(NO_TURN, facts, { ms: 0, utc: '2026-01-01T00:00:00.000Z' }, TIMES);
  const { screen } = shown.capture;
  return contractState({
    facts,
    turn,
    screen,
    probe,
    detectorName: 'claude',
    atMs: 2000,
    stabilitySeconds: 1,
    ...change,
  });
}

describe("the contract's state", () => {
  it('the state of a waiting agent is idle and freeform, and stable after the threshold', () => {
    expect(contract('completed')).toMatchObject({
      diagnostics: { availability: 'available', process_state: 'tui_up', parse_status: 'parsed' },
      parsed_surface: { business_state: 'idle', input_mode: 'freeform', ui_context: 'normal_prompt' },
      surface: { accepting_input: 'yes', editing_input: 'no', ready_posture: 'yes', pending_input: 'no' },
      turn: { phase: 'ready' },
      stability: { stable: true, stable_for_seconds: 2, stable_since_utc: '2026-01-01T00:00:00.000Z' },
    });
  });

  it('the state of a working agent is working', () => {
    expect(contract('busy')).toMatchObject({
      parsed_surface: { business_state: 'working' },
      surface: { ready_posture: 'no' },
      turn: { phase: 'active' },
    });
  });

  it('the state of a dialog shows that a person is needed, and its text', () => {
    const state = contract('permission');
    expect(state).toMatchObject({
      parsed_surface: {
        business_state: 'awaiting_operator',
        input_mode: 'modal',
        ui_context: 'dialog_permission',
      },
      surface: { accepting_input: 'no', ready_posture: 'no' },
    });
    expect(state.parsed_surface?.operator_blocked_excerpt).toContain('Do you want to proceed?');
  });

  it.each([
    ['shell', 'tui_down', 'tui_down', 'skipped_tui_down'],
    ['gone', 'tui_down', 'tui_down', 'skipped_tui_down'],
  ] as const)(
    'the state of a pane with %s in the foreground is unknown',
    (foreground, availability, process_state, parse_status) => {
      const facts = observe({
        screen: fixture('completed').capture.screen,
        detector: claude,
        process: { foreground },
      });
      const was = reduceTurn(NO_TURN, judge(fixture('completed')).facts, { ms: 0, utc: '' }, TIMES);
      const turn = reduceTurn(was, facts, { ms: 1, utc: '' }, TIMES);
      expect(contract('completed', { facts, turn })).toMatchObject({
        diagnostics: { availability, process_state, parse_status },
        parsed_surface: null,
        surface: {
          accepting_input: 'unknown',
          editing_input: 'unknown',
          ready_posture: 'unknown',
          pending_input: 'unknown',
        },
        turn: { phase: 'unknown' },
      });
    },
  );

  it('the state without tmux has neither probe nor parsed surface', () => {
    const state = contract('completed', { probe: { ...probe, transport: 'tmux_missing' } });
    expect(state).toMatchObject({
      diagnostics: { availability: 'unavailable' },
      probe_snapshot: null,
      parsed_surface: null,
    });
    const broken = contract('completed', {
      probe: { ...probe, transport: 'probe_error', error: 'no server' },
    });
    expect(broken.diagnostics).toMatchObject({
      availability: 'error',
      probe_error: { kind: 'probe_error', message: 'no server', details: {} },
    });
  });

  it('the state of a tool without a detector is marked as unsupported', () => {
    expect(contract('completed', { detectorName: undefined })).toMatchObject({
      diagnostics: { parse_status: 'unsupported_tool' },
      parsed_surface: null,
    });
  });

  it('each fact of the state has its source and the time it was seen', () => {
    const facts = observe({
      screen: fixture('completed').capture.screen,
      detector: claude,
      process: { foreground: 'tool' },
      signals: [{ source: 'claude_hooks', state: 'busy', ageMs: 4000, isEvent: true }],
    });
    expect(contract('completed', { facts }).facts).toContainEqual({
      name: 'busy',
      value: 'yes',
      source: 'claude_hooks',
      observed_at_utc: '2026-01-01T00:00:06.000Z',
    });
  });

  it('the state has at most the last 4000 characters of a screen', () => {
    const state = contract('completed');
    expect(state.probe_snapshot!.captured_text_excerpt.length).toBeLessThanOrEqual(4000);
    expect(state.probe_snapshot!.captured_text_hash).toMatch(/^[0-9a-f]{40}$/);
  });
});
