import type { Input } from '../command.ts';

export type CheckStatus = 'ok' | 'warning' | 'problem';

/** What one check found. */
export interface Finding {
  id: string;
  status: CheckStatus;
  detail: string;
  /** The command that fixes it, or what to do; null when nothing needs to be done. */
  fix: string | null;
  /** Fixes it, where that can do no harm. */
  repair?: () => Promise<void> | void;
}

type Looked = Finding | Finding[];

/** One check. It changes nothing; an error that it throws becomes a problem. */
export interface Check {
  id: string;
  /** Returns one finding or several. */
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
