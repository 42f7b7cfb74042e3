interface NeedRow {
  /** The kind, in a word or two. */
  words: string;
  /** After the agent's name, in a notice. */
  notice: string;
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
  dialog: {
    ...atScreen,
    words: 'Dialog',
    notice: 'asks you something',
    label: 'Answer',
    command: 'named',
    inPlace: 'dialog',
  },
  trust: {
    ...atScreen,
    words: 'Trust',
    notice: 'asks whether to trust its folder',
    label: 'Answer',
    command: 'named',
    inPlace: 'dialog',
  },
  gateway_dead: {
    ...plainRow,
    words: 'Gateway down',
    notice: 'is not watched',
    label: 'See why',
    tab: 'facts',
    command: 'named',
    passing: true,
  },
  tool_gone: { ...atScreen, words: 'Tool ended', notice: 'has ended', label: 'Look', command: 'named' },
  logged_out: { ...atScreen, words: 'Logged out', notice: 'is logged out', label: 'Log in' },
  uncertain: {
    ...plainRow,
    words: 'Uncertain',
    notice: 'may not have taken a prompt',
    label: 'See the evidence',
    tab: 'queue',
  },
  failed: { ...plainRow, words: 'Failed', notice: 'was not given a prompt', label: 'See why', tab: 'queue' },
  request: {
    ...plainRow,
    words: 'Question',
    notice: 'sent you a request',
    label: 'Answer',
    tab: null,
    inPlace: 'request',
  },
  mail: { ...plainRow, words: 'Mail', notice: 'wrote to you', label: 'Read', tab: null, command: 'named' },
  overdue: {
    ...plainRow,
    words: 'Overdue',
    notice: 'has not answered a request',
    label: 'See the request',
    tab: null,
  },
  mail_loop: {
    ...atScreen,
    words: 'Mail loop',
    notice: 'is in a mail loop',
    label: 'Read the thread',
    tab: 'mail',
  },
  undecided: {
    ...atScreen,
    words: 'Undecided',
    notice: 'has undecided requests',
    label: 'Decide',
    tab: 'queue',
  },
  usage_limit: { ...atScreen, words: 'Usage limit', notice: 'has reached its usage limit', label: 'Look' },
  update: {
    ...atScreen,
    words: 'Update',
    notice: 'offers an update of its tool',
    label: 'Answer',
    inPlace: 'dialog',
  },
  other: { ...atScreen, words: 'Look', notice: 'needs you', label: 'Look', command: 'named', passing: true },
} as const satisfies Record<string, NeedRow>;

export type NeedKind = keyof typeof NEEDS;

export const NEED_KINDS = Object.keys(NEEDS) as [NeedKind, ...NeedKind[]];

/** The kind from another version of ours. One that this version does not know is `other`. */
export const needKind = (text: string): NeedKind => NEED_KINDS.find((kind) => kind === text) ?? 'other';
