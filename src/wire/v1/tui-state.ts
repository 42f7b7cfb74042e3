import * as z from 'zod';
import {
  BUSINESS_STATES,
  INPUT_MODES,
  LAST_TURN_RESULTS,
  TRISTATES,
  TURN_PHASES,
  TURN_SOURCES,
} from '../../domain/index.ts';
import { about, count, integer, name, stamp, strict } from '../fields.ts';
import { allOurs, ours } from '../source/ours.ts';
import { standing } from './status.ts';

const tristate = z.enum(TRISTATES);

export const trackedSession = strict({
  tracked_session_id: z.string(),
  session_name: z.string(),
  tool: z.string(),
  observed_tool_version: z.string().nullish(),
  tmux_session_name: z.string(),
  tmux_window_name: z.string().nullish(),
  terminal_aliases: z.array(z.string()),
  agent_name: z.string().nullish(),
  agent_id: z.string().nullish(),
  manifest_path: z.string().nullish(),
  session_root: z.string().nullish(),
});

/** Why something could not be observed. */
const trouble = strict({ kind: z.string(), message: z.string(), details: z.record(z.string(), z.string()) });

export const tuiDiagnostics = strict({
  availability: z.enum(['available', 'unavailable', 'tui_down', 'error', 'unknown']),
  transport_state: z.enum(['tmux_up', 'tmux_missing', 'probe_error']),
  process_state: z.enum(['tui_up', 'tui_down', 'unsupported_tool', 'probe_error', 'unknown']),
  parse_status: z.enum([
    'parsed',
    'skipped_tui_down',
    'unsupported_tool',
    'transport_unavailable',
    'probe_error',
    'parse_error',
  ]),
  probe_error: trouble.nullish(),
  parse_error: trouble.nullish(),
});

export const probeSnapshot = strict({
  observed_at_utc: stamp,
  pane_id: z.string(),
  pane_pid: integer.nullable(),
  captured_text_hash: z.string(),
  captured_text_length: count,
  captured_text_excerpt: about('The last 4000 characters.', z.string()),
  matched_process_names: z.array(z.string()),
});

export const parsedSurface = strict({
  parser_family: z.string(),
  parser_preset_id: z.string().nullish(),
  parser_preset_version: z.string().nullish(),
  availability: z.string(),
  business_state: z.enum(BUSINESS_STATES),
  input_mode: z.enum(INPUT_MODES),
  ui_context: z.string(),
  normalized_projection_text: z.string(),
  dialog_text: z.string(),
  dialog_head: z.string(),
  dialog_tail: z.string(),
  anomaly_codes: z.array(z.string()),
  baseline_invalidated: z.boolean(),
  operator_blocked_excerpt: z.string().nullish(),
});

const observed = {
  diagnostics: tuiDiagnostics,
  probe_snapshot: probeSnapshot.nullish(),
  parsed_surface: parsedSurface.nullish(),
  surface: strict({
    accepting_input: tristate,
    editing_input: tristate,
    ready_posture: tristate,
    pending_input: ours(about('Whether the tool itself has queued input.', tristate.optional())),
  }),
  turn: strict({ phase: z.enum(TURN_PHASES) }),
  last_turn: strict({
    result: z.enum(LAST_TURN_RESULTS),
    source: z.enum(TURN_SOURCES),
    updated_at_utc: stamp.nullish(),
  }),
  stability: strict({
    signature: z.string(),
    stable: z.boolean(),
    stable_for_seconds: z.number().nonnegative(),
    stable_since_utc: about('While it is not stable: the time of the last change.', stamp),
  }),
  ...allOurs({
    stalled: about(
      'The screen has not been recognised for longer than unknown_to_stalled_timeout_seconds.',
      z.boolean().optional(),
    ),
    submit_ready: about('The result of the readiness gate for this screen.', z.boolean().optional()),
    not_ready_reasons: z.array(z.string()).optional(),
    standing: standing.optional(),
    facts: about(
      'What was observed, by which source and when.',
      z
        .array(strict({ name: z.string(), value: z.unknown(), source: z.string(), observed_at_utc: stamp }))
        .optional(),
    ),
  }),
};

export const tuiSnapshot = name('TuiSnapshot', strict({ recorded_at_utc: stamp, ...observed }));

/** Response of `GET /v1/control/tui/state`. */
export const tuiState = name(
  'TuiState',
  strict({
    terminal_id: z.string(),
    tracked_session: trackedSession,
    ...observed,
    recent_transitions: z
      .array(
        strict({
          recorded_at_utc: stamp,
          summary: z.string(),
          changed_fields: z.array(z.string()),
          diagnostics_availability: tuiDiagnostics.shape.availability,
          turn_phase: observed.turn.shape.phase,
          last_turn_result: observed.last_turn.shape.result,
          last_turn_source: observed.last_turn.shape.source,
          transport_state: tuiDiagnostics.shape.transport_state,
          process_state: tuiDiagnostics.shape.process_state,
          parse_status: tuiDiagnostics.shape.parse_status,
        }),
      )
      .max(24),
  }),
);

/** Newest last; at most 1000 are kept, in memory. */
export const tuiHistory = name(
  'TuiHistory',
  strict({ terminal_id: z.string(), tracked_session_id: z.string(), entries: z.array(tuiSnapshot) }),
);

/** Zero or less returns everything that is kept. */
export const tuiHistoryQuery = z.object({ limit: integer.min(-1_000_000).max(1_000_000).default(100) });

export type TuiState = z.infer<typeof tuiState>;
export type TuiSnapshot = z.infer<typeof tuiSnapshot>;
export type TuiHistory = z.infer<typeof tuiHistory>;
