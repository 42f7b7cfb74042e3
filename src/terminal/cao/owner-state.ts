import type { CaoTerminal } from '../../cao/index.ts';
import { type Reason, reason } from '../../domain/index.ts';

/** What was last heard of the server that owns the terminal. */
export interface Heard {
  terminal: CaoTerminal;
  /** Mail of its own waits to be pasted, and will be in the same instant in which we would type. */
  mail: boolean;
}

/** Where it keeps the terminal. Another place than that which was joined is another terminal. */
export interface OwnerPlace {
  session: string;
  window: string;
}

const READY = ['idle', 'completed'];

/** A server that has not observed the terminal says nothing: it was started after it. */
export function isUnobserved(status: string | null): boolean {
  return status === null || status === 'unknown';
}

/** Whether it would deliver mail of its own now. */
export function isReadyFor(terminal: CaoTerminal): boolean {
  return terminal.kind === 'known' && terminal.status !== null && READY.includes(terminal.status);
}

/** The second opinion: what speaks against typing, whatever our own sight says. */
export function ownerDoubts({ terminal, mail }: Heard, place: OwnerPlace): Reason[] {
  if (terminal.kind === 'unreachable') return [reason('cao_away', 'unreachable')];
  if (terminal.kind === 'unknown') return [reason('cao_terminal', 'unknown')];
  if (terminal.window !== place.window || terminal.session !== place.session)
    return [reason('cao_window', `${terminal.session}:${terminal.window}`)];
  const { status } = terminal;
  if (isUnobserved(status)) return [];
  if (status === 'processing') return [reason('cao_busy')];
  if (!isReadyFor(terminal)) return [reason('cao_status', status!)];
  return mail ? [reason('cao_inbox', 'pending')] : [];
}
