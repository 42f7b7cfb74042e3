import { durationMs } from './duration.ts';

/** What the directives of a prompt say about its turn. A malformed directive is just text. */
export interface Plan {
  /** Total length of the turn. */
  turnMs: number;
  /** Silence before the first word. */
  delayMs: number;
  words: number;
  say: string | undefined;
  dialogs: DialogKind[];
  shell: string[];
  ending:
    | { kind: 'normal' }
    | { kind: 'hang' }
    | { kind: 'crash'; dirty: boolean }
    | { kind: 'exit'; code: number };
  limit: boolean;
  skin: string | undefined;
  draft: string | undefined;
  fails: string | undefined;
}

export const DIALOG_KINDS = ['permission', 'question', 'trust', 'menu'] as const;
export type DialogKind = (typeof DIALOG_KINDS)[number];

const DIRECTIVE = /\[\[([a-z]+)(?:=([^\]\n]{0,2000}))?\]\]/g;
const MAX_WORDS = 100_000;

export interface PlanDefaults {
  turnMs: number;
  words: number;
}

/** The plan of a prompt: `[[turn=800ms]] [[words=40]] [[dialog=permission]] …`. */
export function planOf(prompt: string, defaults: PlanDefaults): Plan {
  const plan: Plan = {
    turnMs: defaults.turnMs,
    delayMs: -1,
    words: defaults.words,
    say: undefined,
    dialogs: [],
    shell: [],
    ending: { kind: 'normal' },
    limit: false,
    skin: undefined,
    draft: undefined,
    fails: undefined,
  };
  for (const [, name = '', value] of prompt.matchAll(DIRECTIVE)) {
    if (Object.hasOwn(DIRECTIVES, name)) DIRECTIVES[name]?.(plan, value ?? '');
  }
  if (plan.delayMs < 0) plan.delayMs = Math.round(plan.turnMs / 2);
  plan.turnMs = Math.max(plan.turnMs, plan.delayMs);
  return plan;
}

const DIRECTIVES: Record<string, (plan: Plan, value: string) => void> = {
  turn: (plan, value) => {
    plan.turnMs = durationMs(value) ?? plan.turnMs;
  },
  delay: (plan, value) => {
    plan.delayMs = durationMs(value) ?? plan.delayMs;
  },
  words: (plan, value) => {
    if (/^\d{1,6}$/.test(value)) plan.words = Math.min(Number(value), MAX_WORDS);
  },
  say: (plan, value) => {
    plan.say = value;
  },
  dialog: (plan, value) => {
    const kind = DIALOG_KINDS.find((known) => known === (value || 'permission'));
    if (kind) plan.dialogs.push(kind);
  },
  ask: (plan) => {
    plan.dialogs.push('question');
  },
  menu: (plan) => {
    plan.dialogs.push('menu');
  },
  sh: (plan, value) => {
    plan.shell.push(value);
  },
  hang: (plan) => {
    plan.ending = { kind: 'hang' };
  },
  crash: (plan, value) => {
    plan.ending = { kind: 'crash', dirty: value === 'dirty' };
  },
  exit: (plan, value) => {
    plan.ending = { kind: 'exit', code: /^\d{1,3}$/.test(value) ? Number(value) & 255 : 0 };
  },
  limit: (plan) => {
    plan.limit = true;
  },
  skin: (plan, value) => {
    plan.skin = value;
  },
  draft: (plan, value) => {
    plan.draft = value;
  },
  fail: (plan, value) => {
    plan.fails = value || 'the model could not be reached';
  },
};

export const DIRECTIVE_NAMES = [...Object.keys(DIRECTIVES), 'nonce'];

/** The marks by which a sender recognises its prompt: `⟦rouse:…⟧` and `[[nonce=…]]`, in order. */
export function noncesOf(text: string): string[] {
  return [...text.matchAll(/⟦rouse:([^⟧\n]{1,200})⟧|\[\[nonce=([^\]\n]{1,200})\]\]/g)].map(
    (match) => match[1] ?? match[2] ?? '',
  );
}
