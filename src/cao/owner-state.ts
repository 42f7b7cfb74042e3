import { type Reason, reason } from '../domain/index.ts';
import type { CaoTerminal } from './cao-client.ts';

/** The last report of the server that owns the terminal. */
export interface OwnerReport {
  terminal: CaoTerminal;
  /** The server has mail of its own to paste, and would do so at the same instant as we type. */
  mail: boolean;
}

/** Where the server keeps the terminal. Any other place is another terminal. */
export interface OwnerPlace {
  session: string;
  window: string;
}

const READY = ['idle', 'completed'];

/** A server that was started after the terminal has not observed it and reports nothing. */
export function isUnobserved(status: string | null): boolean {
  return status === null || status === 'unknown';
}

/** Whether the server would deliver mail of its own now. */
export function isReadyFor(terminal: CaoTerminal): boolean {
  return terminal.kind === 'known' && terminal.status !== null && READY.includes(terminal.status);
}

/** The second opinion: reasons against typing, whatever our own snapshot shows. */
export function ownerDoubts({ terminal, mail }: OwnerReport, place: OwnerPlace): Reason[] {
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
