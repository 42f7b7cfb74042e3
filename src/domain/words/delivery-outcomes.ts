import type { RequestOutcome } from './request-outcomes.ts';
import { type CodeOf, codesWith } from './table.ts';

interface DeliveryRow {
  meaning: string;
  /** How a request ends that is not put back for another try. */
  ends: RequestOutcome;
  /** Worth another try. */
  later: boolean;
  /** It did what was requested. */
  done?: boolean;
}

/** How one delivery to the agent's surface ended. */
export const DELIVERY_OUTCOMES = {
  submitted: { meaning: 'proven', ends: 'submitted', later: false, done: true },
  unconfirmed: { meaning: 'typed, proof missing; never success', ends: 'unconfirmed', later: false },
  not_ready: { meaning: 'the agent may not be disturbed now', ends: 'failed', later: true },
  refused: { meaning: 'not taken as written', ends: 'refused', later: false },
  superseded: { meaning: 'its reason no longer holds', ends: 'superseded', later: false },
  cancelled: { meaning: 'interrupted, or its caller has gone', ends: 'cancelled', later: false },
  failed: { meaning: 'see its reasons', ends: 'failed', later: false },
  /** Only for `patient` prompts. */
  returned: {
    meaning: 'typed, with proof that the tool has none of it any more',
    ends: 'failed',
    later: true,
  },
  /** Only for `patient` prompts. */
  left: {
    meaning: 'typed and not answered; the next writer of the lane finishes it',
    ends: 'unconfirmed',
    later: true,
  },
} as const satisfies Record<string, DeliveryRow>;

export type DeliveryOutcome = CodeOf<typeof DELIVERY_OUTCOMES>;

export const DONE_DELIVERIES = codesWith(DELIVERY_OUTCOMES, 'done');
