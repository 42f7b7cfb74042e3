import { conflict } from '../../../base/index.ts';
import type { ManifestFacts } from '../../../session/index.ts';
import {
  type AgentSurface,
  type DeliveryOutcome,
  readExitCode,
  turnArtefacts,
} from '../../../terminal/index.ts';
import type { TurnBody, TurnStatus } from '../../../wire/index.ts';
import type { TurnRecord } from './turn-store.ts';

/** Maps how a delivery ended to the turn's status. */
export const STATUS_OF: Readonly<Record<DeliveryOutcome, TurnStatus>> = {
  submitted: 'completed',
  cancelled: 'interrupted',
  unconfirmed: 'unknown',
  not_ready: 'failed',
  refused: 'failed',
  superseded: 'failed',
  failed: 'failed',
  returned: 'failed',
  left: 'unknown',
};

/** A turn that was not started when the server ended is run once more. After that a person should look. */
const MAX_RETURNS = 1;

export type LeftTurn =
  | { next: 'run' }
  | { next: 'wait' }
  | { next: 'over'; status: TurnStatus; reasons: string[]; untouched: boolean };

/**
 * Decides what to do with a turn that was running when the server ended, by the evidence it left. None is run twice.
 */
export async function judgeLeftTurn(turn: TurnRecord, surface: AgentSurface): Promise<LeftTurn> {
  const { verdict, evidence } = await surface.recover({
    requestId: turn.request_id,
    text: turn.prompt,
    sinceUtc: turn.accepted_at_utc,
  });
  if (verdict === 'submitted' || turn.stages.some(({ stage }) => stage === 'submitted'))
    return { next: 'wait' };
  if (verdict === 'unknown') {
    const found = String(evidence[0]?.facts['found'] ?? 'it left no trace');
    return over('unknown', `the server stopped while the turn was starting: ${found}`, false);
  }
  if (turn.interrupt_requested) return over('interrupted', 'interrupted before it started', true);
  if (turn.returns >= MAX_RETURNS)
    return over('failed', 'the server stopped twice before this could run', true);
  return { next: 'run' };
}

function over(status: TurnStatus, reason: string, untouched: boolean): LeftTurn {
  return { next: 'over', status, reasons: [reason], untouched };
}

/** Returns how a turn ended that ran while no server watched: by what it left behind, and by nothing else. */
export function concludeTurn(
  { root, tool }: ManifestFacts,
  turn: TurnRecord,
): { status: TurnStatus; reasons: string[] } {
  const files = turnArtefacts(root, turn.turn_id);
  const code = files && readExitCode(files);
  if (code === undefined)
    return {
      status: 'unknown',
      reasons: ['it ended while no server was watching; its exit code is not known'],
    };
  if (code === 0) return { status: 'completed', reasons: [] };
  return {
    status: turn.interrupt_requested ? 'interrupted' : 'failed',
    reasons: [`${tool} ended with code ${code}`],
  };
}

/** One id is one turn: the same request again is the same turn, and one with another prompt is refused. */
export function requireSameTurn(
  known: TurnRecord,
  wanted: Pick<TurnBody, 'prompt' | 'chat_session' | 'execution'>,
): void {
  const words = (turn: typeof wanted): string =>
    JSON.stringify([turn.prompt, turn.chat_session ?? null, turn.execution ?? null]);
  if (words(known) === words(wanted)) return;
  throw conflict(`turn "${known.turn_id}" already exists with another prompt`, {
    facts: { cause: 'turn_id_used' },
  });
}
