import type { Input } from '../command.ts';

export type CheckStatus = 'ok' | 'warning' | 'problem';

/** What a look at one thing found. */
export interface Finding {
  id: string;
  status: CheckStatus;
  detail: string;
  /** The command that mends it, or what to do; null when nothing is to be done. */
  fix: string | null;
  /** Mends it, where that can do no harm. */
  repair?: () => Promise<void> | void;
}

type Looked = Finding | Finding[];

/** A look at one thing. It changes nothing; what it throws is a problem. */
export interface Check {
  id: string;
  /** Answers with one finding or several. */
  look: (input: Input) => Promise<Looked> | Looked;
}

export const ok = (id: string, detail: string): Finding => ({ id, status: 'ok', detail, fix: null });
export const warning = (id: string, detail: string, fix: string | null): Finding => ({
  id,
  status: 'warning',
  detail,
  fix,
});
export const problem = (id: string, detail: string, fix: string | null): Finding => ({
  id,
  status: 'problem',
  detail,
  fix,
});
