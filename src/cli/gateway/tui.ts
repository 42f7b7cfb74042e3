import { setTimeout as pause } from 'node:timers/promises';
import { drawnOver } from '../../base/index.ts';
import { duration } from '../../domain/index.ts';
import type { TuiHistory, TuiState } from '../../wire/index.ts';
import { GATEWAY_TARGET_FLAGS, type TargetInput } from '../agents/target.ts';
import { type Command, command, type Flag, type InputOf, type Output } from '../command.ts';
import { positiveSeconds, wholeNumber } from '../input/flag-values.ts';
import { clockTime, dayAndTime, utcMark } from '../print/local-time.ts';
import { keyValues, show, table } from '../print/table.ts';
import { liveGateway } from './target.ts';
import { PROMPT_FLAG, promptText } from './text.ts';

type ShownTui = Pick<
  TuiState,
  'diagnostics' | 'surface' | 'turn' | 'last_turn' | 'stability' | 'submit_ready' | 'not_ready_reasons'
>;

function phaseOf({ turn, stalled }: Pick<TuiState, 'turn' | 'stalled'>): string {
  return stalled ? `${turn.phase} (stalled)` : turn.phase;
}

function readiness({ submit_ready, not_ready_reasons = [] }: ShownTui): string {
  if (submit_ready === undefined) return 'unknown';
  return submit_ready ? 'yes' : `no: ${not_ready_reasons.join(' ')}`;
}

export function tuiText(state: TuiState): string {
  const { diagnostics, surface, last_turn, stability, tracked_session: session } = state;
  const version = session.observed_tool_version;
  return keyValues({
    session: session.tmux_session_name,
    tool: version ? `${session.tool} ${version}` : session.tool,
    available: `${diagnostics.availability} (${diagnostics.transport_state}, ${diagnostics.process_state}, ${diagnostics.parse_status})`,
    state: state.standing?.words,
    ...(state.standing?.needs_you && { 'needs you': state.standing.needs_you }),
    phase: phaseOf(state),
    'submit ready': readiness(state),
    'accepting input': surface.accepting_input,
    'editing input': surface.editing_input,
    'ready posture': surface.ready_posture,
    'pending input': surface.pending_input,
    'last turn': `${last_turn.result} (${last_turn.source})`,
    stable: stability.stable ? `yes, for ${duration(stability.stable_for_seconds * 1000)}` : 'no',
    seen: dayAndTime(state.probe_snapshot?.observed_at_utc),
  });
}

function transitionsText({ recent_transitions }: TuiState): string {
  if (recent_transitions.length === 0) return '';
  const lines = recent_transitions.map((each) => `${clockTime(each.recorded_at_utc)}  ${show(each.summary)}`);
  return `\n\nrecent changes${utcMark()}\n${lines.join('\n')}`;
}

function historyText({ entries }: TuiHistory): string {
  if (entries.length === 0) return 'No snapshots yet.';
  return table(entries, [
    { title: `time${utcMark()}`, value: (e) => clockTime(e.recorded_at_utc) },
    { title: 'available', value: (e) => e.diagnostics.availability },
    { title: 'phase', value: phaseOf },
    { title: 'accepting', value: (e) => e.surface.accepting_input },
    { title: 'editing', value: (e) => e.surface.editing_input },
    { title: 'posture', value: (e) => e.surface.ready_posture },
    { title: 'last turn', value: (e) => e.last_turn.result },
    { title: 'submit ready', value: readiness, max: 60 },
  ]);
}

async function state(input: TargetInput): Promise<Output> {
  const seen = await (await liveGateway(input)).tuiState();
  return { data: seen, plain: tuiText(seen) + transitionsText(seen) };
}

async function history(input: InputOf<typeof HISTORY_FLAGS>): Promise<Output> {
  const seen = await (await liveGateway(input)).call('tui.history', {
    limit: input.flags.limit,
  });
  return { data: seen, plain: historyText(seen) };
}

/** A terminal is redrawn in place; a pipe gets one JSON object per line. */
async function watch(input: InputOf<typeof WATCH_FLAGS>): Promise<Output> {
  const { signal, outIsTty, style, out } = input;
  const gateway = await liveGateway(input);
  const interval = input.flags.intervalSeconds * 1000;
  const drawn = outIsTty && style !== 'json';
  while (!signal.aborted) {
    const seen = await gateway.tuiState({ signal });
    out(drawn ? drawnOver(`${tuiText(seen)}${transitionsText(seen)}\n`) : `${JSON.stringify(seen)}\n`);
    await pause(interval, undefined, { signal }).catch(() => undefined);
  }
  return { data: undefined, exitCode: 0 };
}

async function notePrompt(input: InputOf<typeof NOTE_PROMPT_FLAGS>): Promise<Output> {
  const prompt = await promptText(input);
  const seen = await (await liveGateway(input)).call('tui.notePrompt', { body: { prompt } });
  return { data: seen, plain: tuiText(seen) };
}

const HISTORY_FLAGS = [
  ...GATEWAY_TARGET_FLAGS,
  {
    name: 'limit',
    value: 'N',
    summary: 'maximum number to show (100); 0 shows all that are kept',
    parse: wholeNumber(0, 1_000_000),
  },
] as const satisfies readonly Flag[];

const WATCH_FLAGS = [
  ...GATEWAY_TARGET_FLAGS,
  {
    name: 'interval-seconds',
    value: 'N',
    summary: 'time between two checks',
    parse: positiveSeconds,
    default: 1,
  },
] as const satisfies readonly Flag[];

const NOTE_PROMPT_FLAGS = [...GATEWAY_TARGET_FLAGS, PROMPT_FLAG] as const satisfies readonly Flag[];

const tui: Command = {
  name: 'tui',
  summary: "what the agent's screen shows, and how Rouse reads it",
  subcommands: [
    command({
      name: 'state',
      summary: 'how Rouse reads the screen now, and whether a prompt may be typed',
      examples: ['rouse agents gateway tui state --agent-name gpu'],
      flags: GATEWAY_TARGET_FLAGS,
      run: state,
    }),
    command({
      name: 'history',
      summary: 'recent snapshots, newest last',
      examples: ['rouse agents gateway tui history --agent-name gpu --limit 20'],
      flags: HISTORY_FLAGS,
      run: history,
    }),
    command({
      name: 'watch',
      summary: 'show the state repeatedly, until Ctrl-C',
      description: 'On a terminal the screen is redrawn in place; a pipe gets one JSON object per line.',
      examples: [
        'rouse agents gateway tui watch --agent-name gpu',
        "rouse agents gateway tui watch --agent-name gpu --interval-seconds 0.2 | jq -c '.turn.phase'",
      ],
      flags: WATCH_FLAGS,
      run: watch,
    }),
    command({
      name: 'note-prompt',
      summary: 'record that a prompt was submitted by other means; nothing is sent',
      examples: ['rouse agents gateway tui note-prompt --agent-name gpu --prompt "typed by hand"'],
      flags: NOTE_PROMPT_FLAGS,
      run: notePrompt,
    }),
  ],
};

export default tui;
