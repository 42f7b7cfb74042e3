interface NeedRow {
  /** The label of the button that leads there. */
  label: string;
  /** The tab of the agent's page where it is seen or settled. */
  tab: 'screen' | 'queue' | 'mail' | 'facts' | null;
  /** The command shown beside it: `named` in its words, or the one that opens the agent's window. */
  command: 'named' | 'open' | null;
  /** May be over in a moment, like a prompt that is just being typed. Shown only once it has lasted. */
  passing: boolean;
}

const atScreen = (label: string): NeedRow => ({ label, tab: 'screen', command: 'open', passing: false });

/** What a person may be needed for, most urgent first. */
export const NEEDS = {
  dialog: { ...atScreen('Answer'), command: 'named' },
  trust: { ...atScreen('Answer'), command: 'named' },
  uncertain: { label: 'See the evidence', tab: 'queue', command: null, passing: false },
  failed: { label: 'See why', tab: 'queue', command: null, passing: false },
  request: { label: 'Answer', tab: null, command: null, passing: false },
  gateway_dead: { label: 'See why', tab: 'facts', command: 'named', passing: true },
  logged_out: atScreen('Log in'),
  overdue: { label: 'See the request', tab: null, command: null, passing: false },
  mail_loop: { ...atScreen('Read the thread'), tab: 'mail' },
  undecided: { ...atScreen('Decide'), tab: 'queue' },
  usage_limit: atScreen('Look'),
  update: atScreen('Answer'),
  other: { ...atScreen('Look'), command: 'named', passing: true },
} as const satisfies Record<string, NeedRow>;

export type NeedKind = keyof typeof NEEDS;

export const NEED_KINDS = Object.keys(NEEDS) as [NeedKind, ...NeedKind[]];

/** The kind from another version of ours. One that this version does not know is `other`. */
export const needKind = (text: string): NeedKind => NEED_KINDS.find((kind) => kind === text) ?? 'other';
