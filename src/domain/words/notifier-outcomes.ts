import { type CodeOf, type CodeWith, codesWith } from './table.ts';
import type { WakeHold } from './wake-policies.ts';

/** The parts of a decision that its words are made from. */
export interface DecisionWords {
  /** As stored. */
  detail: string;
  /** The same, for people. */
  reason: string;
  /** The interval, for people. */
  interval: string;
  /** ", and every 1 min in any case", where an interval is known. */
  safety: string;
  /** All of the mail was announced before, and its repeat policy has no times of its own. */
  announced: boolean;
  /** Mail that stays open is announced again at each interval. */
  everyInterval: boolean;
  /** What holds the mail back, and when time alone may change that, for people. */
  hold: WakeHold | null;
  until: string;
  again: string | null;
}

interface OutcomeRow {
  /** Decided by the policy. False: written because no decision could be made. */
  decided: boolean;
  /** A request to wake the agent was made. */
  wakes: boolean;
  /** Open mail waits for the agent, the gateway or a time. */
  waits: boolean;
  /** There was open mail. */
  open: boolean;
  /** Why the agent was not woken; for a wake, what was accepted. */
  why: (words: DecisionWords) => string;
  /** When the mail is checked next, and why. */
  next: (words: DecisionWords) => string;
}

const no = { decided: true, wakes: false, waits: false, open: true } as const;

/** The result of a check of the mail: the outcomes of the audit. */
export const NOTIFIER_OUTCOMES = {
  empty: {
    ...no,
    open: false,
    why: () => 'there was no open mail',
    next: () => 'checked again when mail arrives',
  },
  /** All of it was announced before, or only agents reply to each other in it. */
  dedup_skip: {
    ...no,
    why: ({ detail }) => detail.replace(/^(repeat|paused_loop): /, ''),
    next: ({ hold, until, again, safety }) => {
      if (hold !== null) return `checked again ${until}`;
      return again === null
        ? `checked again when new mail arrives${safety}`
        : `announced again at ${again} if it is still open; sooner when new mail arrives`;
    },
  },
  busy_skip: {
    ...no,
    waits: true,
    why: ({ reason }) => reason,
    next: ({ announced, again, until, safety, interval }) =>
      announced && again === null
        ? `all of it was announced before, so it waits for the next interval (${interval}), or for its turn when others wait too`
        : `checked again ${until}${again === null ? '' : `, at ${again}`}${safety}`,
  },
  enqueued: {
    ...no,
    wakes: true,
    why: () => 'a wake was accepted',
    next: ({ everyInterval, interval }) =>
      everyInterval
        ? `checked again when new mail arrives; what stays open is announced again after ${interval}`
        : 'checked again when new mail arrives, or when its repeat policy says so',
  },
  poll_error: {
    ...no,
    decided: false,
    why: ({ detail }) => `the mailbox could not be read: ${detail}`,
    next: () => 'checked again at growing intervals until the mailbox can be read',
  },
} as const satisfies Record<string, OutcomeRow>;

export type NotifierOutcome = CodeOf<typeof NOTIFIER_OUTCOMES>;
/** What the policy may decide. */
export type DecidedOutcome = CodeWith<typeof NOTIFIER_OUTCOMES, 'decided'>;

export const WAKES = codesWith(NOTIFIER_OUTCOMES, 'wakes');
