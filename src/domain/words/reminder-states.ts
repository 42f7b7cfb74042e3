import type { CodeOf } from './table.ts';

/** The place of a reminder in the ranking: the first is effective, the others wait behind it. */
export const SELECTION_STATES = {
  effective: { words: 'leads' },
  blocked: { words: 'waits behind another' },
} as const satisfies Record<string, { words: string }>;

/** Whether a reminder is due. The words follow "which". */
export const DELIVERY_STATES = {
  scheduled: { words: 'is not due yet' },
  overdue: { words: 'is due and waits' },
  executing: { words: 'is being delivered now' },
} as const satisfies Record<string, { words: string }>;

export type DeliveryState = CodeOf<typeof DELIVERY_STATES>;
