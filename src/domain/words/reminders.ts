import type { CodeOf } from './table.ts';

/** How often a reminder is delivered. */
export const REMINDER_MODES = {
  one_off: { words: 'once', repeats: false },
  repeat: { words: 'repeats', repeats: true },
} as const satisfies Record<string, { words: string; repeats: boolean }>;

/** What a durable reminder does about due times that passed while no gateway ran. */
export const MISSED_POLICIES = {
  skip: { words: 'not delivered' },
  once: { words: 'delivered once' },
} as const satisfies Record<string, { words: string }>;

/** What a reminder types into the agent. */
export const DELIVERY_KINDS = {
  prompt: { words: 'a prompt' },
  send_keys: { words: 'raw keys' },
} as const satisfies Record<string, { words: string }>;

export type ReminderMode = CodeOf<typeof REMINDER_MODES>;
export type DeliveryKind = CodeOf<typeof DELIVERY_KINDS>;
export type MissedPolicy = CodeOf<typeof MISSED_POLICIES>;

/** The place of a reminder in the ranking: the first is effective, the others wait behind it. */
export const SELECTION_STATES = {
  effective: { words: 'next' },
  blocked: { words: 'waits behind another' },
} as const satisfies Record<string, { words: string }>;

/** Whether a reminder is due. The words follow "which". */
export const DELIVERY_STATES = {
  scheduled: { words: 'is not due yet' },
  overdue: { words: 'is due and waits' },
  executing: { words: 'is being delivered now' },
} as const satisfies Record<string, { words: string }>;

export type DeliveryState = CodeOf<typeof DELIVERY_STATES>;
