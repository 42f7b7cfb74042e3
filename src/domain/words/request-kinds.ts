import { type CodeOf, codesWith } from './table.ts';

interface KindRow {
  /** What callers may request. The others are requested by the gateway itself and by the fleet. */
  public: boolean;
  /** On one line. Null: its prompt says more. */
  words: string | null;
  /** The same as a title. */
  title: string | null;
  /** What it is on a timeline. */
  item: 'prompt' | 'interrupt' | 'wake';
}

const prompt = { words: null, title: null, item: 'prompt' } as const;

/** Everything that a gateway's queue holds. */
export const REQUEST_KINDS = {
  submit_prompt: { ...prompt, public: true },
  interrupt: { public: true, words: 'interrupt', title: 'Interrupt', item: 'interrupt' },
  mail_notifier_prompt: { public: false, words: 'reads its mail', title: 'Woken for mail', item: 'wake' },
  /** A message of the fleet. */
  a2a_prompt: { ...prompt, public: false },
} as const satisfies Record<string, KindRow>;

export type RequestKind = CodeOf<typeof REQUEST_KINDS>;

export const PUBLIC_REQUEST_KINDS = codesWith(REQUEST_KINDS, 'public');
