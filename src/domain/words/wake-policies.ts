import type { CodeOf } from './table.ts';

/** Which mail wakes the agent. */
export const NOTIFIER_MODES = {
  any_inbox: { words: 'until mail is archived', wakesFor: 'all open mail', reads: 'any' },
  unread_only: { words: 'until it is read', wakesFor: 'unread mail', reads: 'unread' },
} as const satisfies Record<string, { words: string; wakesFor: string; reads: 'any' | 'unread' }>;

/** How often unchanged mail is announced again. */
export const REPEAT_POLICIES = {
  every_poll: {
    words: 'at every interval',
    repeats: (interval) => `repeated every ${interval}`,
    help: 'wakes at each interval while mail is open',
    again: 'interval',
  },
  on_change: {
    words: 'never',
    repeats: (interval) => `not repeated, checked every ${interval}`,
    help: 'only when it changed',
    again: 'change',
  },
  backoff: {
    words: 'at growing intervals',
    repeats: (interval) => `repeats back off from ${interval}`,
    help: 'on change and then at growing intervals',
    again: 'growing',
  },
} as const satisfies Record<
  string,
  {
    words: string;
    /** How mail that stays open is announced again; the interval is in words. */
    repeats: (interval: string) => string;
    help: string;
    again: 'interval' | 'change' | 'growing';
  }
>;

/** How long the text of a wake is. */
export const WAKE_TEXTS = {
  full: { words: 'with every address', urls: true },
  short: { words: 'short, where the session has mail tools', urls: false },
} as const satisfies Record<string, { words: string; urls: boolean }>;

/** What the text of a wake names of the mail it is for. */
export const WAKE_ANNOUNCEMENTS = {
  nothing: { words: 'nothing of the mail', senders: false },
  senders: { words: 'agents by name, you as "you", everyone else as "someone outside"', senders: true },
} as const satisfies Record<string, { words: string; senders: boolean }>;

export type WakeText = CodeOf<typeof WAKE_TEXTS>;
export type WakeAnnouncement = CodeOf<typeof WAKE_ANNOUNCEMENTS>;
/** What happens at a usage limit. */
export const PARK_POLICIES = {
  hold: { help: 'types nothing until the limit ends, and then what waits' },
  resume: { help: 'also asks an agent whose turn was cut to continue, if nothing else waits' },
  off: { help: 'types as if there were no limit' },
} as const satisfies Record<string, { help: string }>;

export type ParkPolicy = CodeOf<typeof PARK_POLICIES>;
export type NotifierMode = CodeOf<typeof NOTIFIER_MODES>;
export type RepeatPolicy = CodeOf<typeof REPEAT_POLICIES>;

interface HoldRow {
  /** What ends it. Follows "checked again". */
  until: string;
}

/** What holds open mail back. */
export const WAKE_HOLDS = {
  paused_loop: {
    until:
      'when a person writes into the thread, it is resumed ("rouse agents gateway mail-notifier resume --thread REF"), or other mail arrives',
  },
  /** A person has paused the agent. */
  pause: { until: 'when the pause ends ("rouse resume" ends it)' },
  quiet_hours: { until: 'when the quiet hours end' },
  wake_budget: { until: 'when enough wakes of the last hour are an hour old' },
  gateway: { until: 'when the gateway is free and the agent is ready' },
  agent: { until: 'when the agent becomes ready' },
  /** Others have waited longer for the agent. */
  turn: { until: 'when the agent becomes ready' },
} as const satisfies Record<string, HoldRow>;

export type WakeHold = CodeOf<typeof WAKE_HOLDS>;
