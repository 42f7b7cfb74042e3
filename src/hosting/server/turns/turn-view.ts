import { readExitCode, turnArtefacts } from '../../../terminal/index.ts';
import type { TurnAccepted, TurnEnd, TurnView } from '../../../wire/index.ts';
import type { TurnRecord } from './turn-store.ts';

/** How it is run, and its prompt, stay between the server and the caller who asked for it. */
const HIDDEN = ['prompt', 'chat_session', 'execution', 'direct', 'returns', 'interrupt_requested'];

/** Returns a turn as it is shown; its output is in its session root. */
export function turnViewOf(record: TurnRecord, sessionRoot: string): TurnView {
  const shown = Object.entries(record).filter(([key]) => !HIDDEN.includes(key));
  return { ...(Object.fromEntries(shown) as Omit<TurnView, keyof TurnEnd>), ...endOf(record, sessionRoot) };
}

/** The same, for the caller who asked for the turn. */
export function acceptedView(
  { turn, duplicate }: { turn: TurnRecord; duplicate: boolean },
  sessionRoot: string,
): TurnAccepted {
  const detail = duplicate ? 'it was requested before; this is the same turn' : 'the turn is running';
  return { success: true, detail, ...turnViewOf(turn, sessionRoot), ...(duplicate && { duplicate }) };
}

function endOf(turn: TurnRecord, sessionRoot: string): TurnEnd {
  const { status, turn_index, stages, accepted_at_utc, finished_at_utc, reasons } = turn;
  const files = turnArtefacts(sessionRoot, turn.turn_id);
  const over = status !== 'active';
  return {
    started_at_utc: stages[0]?.at_utc ?? accepted_at_utc,
    completed_at_utc: finished_at_utc,
    returncode: (over && files ? readExitCode(files) : undefined) ?? null,
    completion_source: stages.find(({ stage }) => stage === 'turn_finished')?.source ?? null,
    stdout_path: files?.stdout ?? null,
    stderr_path: files?.stderr ?? null,
    status_path: files?.exitcode ?? null,
    history_summary: over ? `turn ${turn_index}: ${status}` : null,
    error: status === 'completed' ? null : reasons.join('; ') || null,
  };
}
