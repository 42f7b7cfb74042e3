interface NeedRow {
  /** The kind, in a word or two. */
  words: string;
  /** The label of the button that leads there. */
  label: string;
  /** The tab of the agent's page where it is seen or settled. */
  tab: 'screen' | 'queue' | 'mail' | 'facts' | null;
  /** The command shown beside it: `named` in its words, or the one that opens the agent's window. */
  command: 'named' | 'open' | null;
  /** May be over in a moment, like a prompt that is just being typed. Shown only once it has lasted. */
  passing: boolean;
  /** What a list can show in place, to settle it there. Null: only behind its link. */
  inPlace: 'dialog' | 'request' | null;
}

const plainRow = { command: null, passing: false, inPlace: null } as const;
const atScreen = { ...plainRow, tab: 'screen', command: 'open' } as const;

/** What a person may be needed for, most urgent first. */
export const NEEDS = {
  dialog: { ...atScreen, words: 'Dialog', label: 'Answer', command: 'named', inPlace: 'dialog' },
  trust: { ...atScreen, words: 'Trust', label: 'Answer', command: 'named', inPlace: 'dialog' },
  gateway_dead: {
    ...plainRow,
    words: 'Gateway down',
    label: 'See why',
    tab: 'facts',
    command: 'named',
    passing: true,
  },
  logged_out: { ...atScreen, words: 'Logged out', label: 'Log in' },
  uncertain: { ...plainRow, words: 'Uncertain', label: 'See the evidence', tab: 'queue' },
  failed: { ...plainRow, words: 'Failed', label: 'See why', tab: 'queue' },
  request: { ...plainRow, words: 'Question', label: 'Answer', tab: null, inPlace: 'request' },
  overdue: { ...plainRow, words: 'Overdue', label: 'See the request', tab: null },
  mail_loop: { ...atScreen, words: 'Mail loop', label: 'Read the thread', tab: 'mail' },
  undecided: { ...atScreen, words: 'Undecided', label: 'Decide', tab: 'queue' },
  usage_limit: { ...atScreen, words: 'Usage limit', label: 'Look' },
  update: { ...atScreen, words: 'Update', label: 'Answer', inPlace: 'dialog' },
  other: { ...atScreen, words: 'Look', label: 'Look', command: 'named', passing: true },
} as const satisfies Record<string, NeedRow>;

export type NeedKind = keyof typeof NEEDS;

export const NEED_KINDS = Object.keys(NEEDS) as [NeedKind, ...NeedKind[]];

/** The kind from another version of ours. One that this version does not know is `other`. */
export const needKind = (text: string): NeedKind => NEED_KINDS.find((kind) => kind === text) ?? 'other';
