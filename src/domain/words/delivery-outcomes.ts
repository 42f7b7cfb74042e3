import type { RequestOutcome } from './request-outcomes.ts';
import { type CodeOf, codesWith } from './table.ts';

interface DeliveryRow {
  meaning: string;
  /** How a request ends that is not given back for another try. */
  ends: RequestOutcome;
  /** Worth another try. */
  later: boolean;
  /** It did what was asked. */
  done?: boolean;
}

/** How one delivery to the agent's surface ended. */
export const DELIVERY_OUTCOMES = {
  submitted: { meaning: 'proven', ends: 'submitted', later: false, done: true },
  unconfirmed: { meaning: 'typed, proof missing; never success', ends: 'unconfirmed', later: false },
  not_ready: { meaning: 'the agent may not be disturbed now', ends: 'failed', later: true },
  refused: { meaning: 'not taken as written', ends: 'refused', later: false },
  superseded: { meaning: 'its reason is gone', ends: 'superseded', later: false },
  cancelled: { meaning: 'interrupted, or its caller has gone', ends: 'cancelled', later: false },
  failed: { meaning: 'see its reasons', ends: 'failed', later: false },
  /** Only of what was `patient`. */
  returned: {
    meaning: 'typed, and proven that nothing of it is with the tool any more',
    ends: 'failed',
    later: true,
  },
  /** Only of what was `patient`. */
  left: {
    meaning: 'typed and not answered, for who takes the lane next',
    ends: 'unconfirmed',
    later: true,
  },
} as const satisfies Record<string, DeliveryRow>;

export type DeliveryOutcome = CodeOf<typeof DELIVERY_OUTCOMES>;

export const DONE_DELIVERIES = codesWith(DELIVERY_OUTCOMES, 'done');
