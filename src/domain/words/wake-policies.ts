import type { CodeOf } from './table.ts';

/** Which mail wakes the agent. */
export const NOTIFIER_MODES = {
  any_inbox: { words: 'until mail is archived', reads: 'any' },
  unread_only: { words: 'until it is read', reads: 'unread' },
} as const satisfies Record<string, { words: string; reads: 'any' | 'unread' }>;

/** How often unchanged mail is announced again. */
export const REPEAT_POLICIES = {
  every_poll: {
    words: 'at every interval',
    help: 'wakes at each interval while mail is open',
    again: 'interval',
  },
  on_change: { words: 'never', help: 'only when it changed', again: 'change' },
  backoff: {
    words: 'at growing intervals',
    help: 'on change and then at growing intervals',
    again: 'growing',
  },
} as const satisfies Record<
  string,
  { words: string; help: string; again: 'interval' | 'change' | 'growing' }
>;

export type NotifierMode = CodeOf<typeof NOTIFIER_MODES>;
export type RepeatPolicy = CodeOf<typeof REPEAT_POLICIES>;
