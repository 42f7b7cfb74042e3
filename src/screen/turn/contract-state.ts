import type { Facts } from '../facts.ts';
import { type Screen, screenText } from '../model/screen.ts';
import { fingerprint, stabilityAt } from './stability.ts';
import type { TurnState } from './turn-state.ts';

/** Facts about the connection to the screen. */
export interface Probe {
  observedAtUtc: string;
  transport: 'tmux_up' | 'tmux_missing' | 'probe_error';
  paneId: string;
  panePid: number | null;
  matchedProcessNames: string[];
  error: string | null;
}

export interface ContractInput {
  facts: Facts;
  turn: TurnState;
  screen: Screen | undefined;
  probe: Probe;
  /** Undefined when no detector exists for the tool. */
  detectorName: string | undefined;
  atMs: number;
  stabilitySeconds: number;
}

const EXCERPT_CHARS = 4000;

/**
 * The observed part of `GET /v1/control/tui/state`. If tmux or the tool is gone, everything is unknown: the last screen
 * of a dead tool is not a state.
 */
export function contractState(input: ContractInput) {
  const { facts, turn, probe } = input;
  const { surface } = facts;
  const stability = stabilityAt(turn, input.atMs, input.stabilitySeconds);
  return {
    diagnostics: diagnosticsOf(input),
    probe_snapshot: probeOf(input),
    parsed_surface: parsedOf(input),
    surface: {
      accepting_input: surface.accepting_input.value,
      editing_input: surface.editing_input.value,
      ready_posture: surface.ready_posture.value,
      pending_input: surface.pending_input.value,
    },
    turn: { phase: turn.phase },
    stalled: turn.stalled,
    last_turn: turn.lastTurn,
    stability: { ...stability, stable_since_utc: stability.stable_since_utc ?? probe.observedAtUtc },
    facts: factList(input),
  };
}

function diagnosticsOf({ facts, probe, detectorName }: ContractInput) {
  const process = facts.process.value;
  const down = process === 'shell' || process === 'gone' || process === 'other';
  const probe_error =
    probe.error === null ? null : { kind: probe.transport, message: probe.error, details: {} };
  const base = { probe_error, parse_error: null };
  if (probe.transport === 'tmux_missing') {
    return {
      ...base,
      availability: 'unavailable',
      transport_state: probe.transport,
      process_state: 'unknown',
      parse_status: 'transport_unavailable',
    } as const;
  }
  if (probe.transport === 'probe_error') {
    return {
      ...base,
      availability: 'error',
      transport_state: probe.transport,
      process_state: 'probe_error',
      parse_status: 'probe_error',
    } as const;
  }
  const transport_state = probe.transport;
  if (down) {
    return {
      ...base,
      availability: 'tui_down',
      transport_state,
      process_state: 'tui_down',
      parse_status: 'skipped_tui_down',
    } as const;
  }
  if (detectorName === undefined) {
    return {
      ...base,
      availability: 'unknown',
      transport_state,
      process_state: 'unsupported_tool',
      parse_status: 'unsupported_tool',
    } as const;
  }
  return {
    ...base,
    availability: process === 'tool' ? 'available' : 'unknown',
    transport_state,
    process_state: process === 'tool' ? 'tui_up' : 'unknown',
    parse_status: 'parsed',
  } as const;
}

function probeOf({ probe, screen }: ContractInput) {
  if (probe.transport !== 'tmux_up') return null;
  const text = screen ? screenText(screen) : '';
  return {
    observed_at_utc: probe.observedAtUtc,
    pane_id: probe.paneId,
    pane_pid: probe.panePid,
    captured_text_hash: fingerprint(text),
    captured_text_length: text.length,
    captured_text_excerpt: text.slice(-EXCERPT_CHARS),
    matched_process_names: probe.matchedProcessNames,
  };
}

function parsedOf(input: ContractInput) {
  const { facts, screen, detectorName } = input;
  const diagnostics = diagnosticsOf(input);
  if (!screen || detectorName === undefined || diagnostics.parse_status !== 'parsed') return null;
  const dialog = facts.dialog.value?.excerpt ?? '';
  return {
    parser_family: 'rouse_screen',
    parser_preset_id: detectorName,
    parser_preset_version: facts.version.value,
    availability: facts.version.status === 'outside' ? 'unsupported' : 'supported',
    business_state: facts.business_state,
    input_mode: facts.input_mode,
    ui_context: contextOf(facts),
    normalized_projection_text: screenText(screen).slice(-EXCERPT_CHARS),
    dialog_text: dialog,
    dialog_head: dialog.split('\n')[0] ?? '',
    dialog_tail: dialog.split('\n').at(-1) ?? '',
    anomaly_codes: anomaliesOf(facts),
    baseline_invalidated: false,
    operator_blocked_excerpt: dialog === '' ? null : dialog,
  };
}

function contextOf(facts: Facts): string {
  if (facts.dialog.value) return `dialog_${facts.dialog.value.kind}`;
  if (facts.menu.value) return facts.menu.value.kind;
  if (facts.composer.value?.mode === 'shell') return 'shell_mode';
  return facts.composer.value ? 'normal_prompt' : 'unknown';
}

function anomaliesOf(facts: Facts): string[] {
  const found: string[] = [];
  if (facts.version.status === 'outside') found.push('unknown_version');
  if (facts.contradictions.length > 0) found.push('contradiction');
  if (facts.limit.value) found.push('usage_limit');
  if (facts.logged_out.value) found.push('logged_out');
  if (facts.excerpt !== '') found.push('unrecognised_screen');
  return found;
}

function factList({ facts, probe }: ContractInput) {
  const at = (ageMs: number): string => new Date(Date.parse(probe.observedAtUtc) - ageMs).toISOString();
  const named = {
    process: facts.process,
    tool_version: facts.version,
    composer: facts.composer,
    busy: facts.busy,
    dialog: facts.dialog,
    menu: facts.menu,
    usage_limit: facts.limit,
    logged_out: facts.logged_out,
    ready_posture: facts.surface.ready_posture,
    pending_input: facts.surface.pending_input,
    phase: facts.phase,
  };
  return Object.entries(named).map(([name, { value, source, ageMs }]) => ({
    name,
    value: value as unknown,
    source,
    observed_at_utc: at(ageMs),
  }));
}
