import { conflict } from '../../base/index.ts';
import type { ManifestFacts } from '../../session/index.ts';
import { type DeliveryOutcome, readExitCode, turnArtefacts } from '../../terminal/index.ts';
import type { TurnBody, TurnStatus } from '../../wire/index.ts';
import type { TurnRecord } from './turn-store.ts';

/** What a delivery's end means for the turn. */
export const STATUS_OF: Readonly<Record<DeliveryOutcome, TurnStatus>> = {
  submitted: 'completed',
  cancelled: 'interrupted',
  unconfirmed: 'unknown',
  not_ready: 'failed',
  refused: 'failed',
  superseded: 'failed',
  failed: 'failed',
};

/** How a turn ended that was run while no server looked: by what it left behind, and by nothing else. */
export function concludeTurn(
  { root, tool }: ManifestFacts,
  turn: TurnRecord,
): { status: TurnStatus; reasons: string[] } {
  const files = turnArtefacts(root, turn.turn_id);
  const code = files && readExitCode(files);
  if (code === undefined)
    return {
      status: 'unknown',
      reasons: ['it ended while nobody was looking; its exit code is not known'],
    };
  if (code === 0) return { status: 'completed', reasons: [] };
  return {
    status: turn.interrupt_requested ? 'interrupted' : 'failed',
    reasons: [`${tool} ended with code ${code}`],
  };
}

/** One id is one turn: asked for again it is the same, and with another prompt it is refused. */
export function requireSameTurn(
  known: TurnRecord,
  wanted: Pick<TurnBody, 'prompt' | 'chat_session' | 'execution'>,
): void {
  const words = (turn: typeof wanted): string =>
    JSON.stringify([turn.prompt, turn.chat_session ?? null, turn.execution ?? null]);
  if (words(known) === words(wanted)) return;
  throw conflict(`turn "${known.turn_id}" was asked for with another prompt`, {
    facts: { cause: 'turn_id_used' },
  });
}
