import { readExitCode, turnArtefacts } from '../../../terminal/index.ts';
import type { TurnAccepted, TurnEnd, TurnView } from '../../../wire/index.ts';
import type { TurnRecord } from './turn-store.ts';

/** How it is run, and with which words, is between the server and whoever asked. */
const HIDDEN = ['prompt', 'chat_session', 'execution', 'direct', 'returns', 'interrupt_requested'];

/** A turn as it is shown; what it printed is in the session it is of. */
export function turnViewOf(record: TurnRecord, sessionRoot: string): TurnView {
  const shown = Object.entries(record).filter(([key]) => !HIDDEN.includes(key));
  return { ...(Object.fromEntries(shown) as Omit<TurnView, keyof TurnEnd>), ...endOf(record, sessionRoot) };
}

/** The same for whoever asked for it. */
export function acceptedView(
  { turn, duplicate }: { turn: TurnRecord; duplicate: boolean },
  sessionRoot: string,
): TurnAccepted {
  const detail = duplicate ? 'it was asked for before; this is that turn' : 'the turn runs';
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
