import type { CaoTerminal } from '../../cao/index.ts';
import type { OwnerDoubt } from '../../screen/index.ts';

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
export function ownerDoubts({ terminal, mail }: Heard, place: OwnerPlace): OwnerDoubt[] {
  if (terminal.kind === 'unreachable') return [{ name: 'cao', value: 'unreachable' }];
  if (terminal.kind === 'unknown') return [{ name: 'cao_terminal', value: 'unknown' }];
  if (terminal.window !== place.window || terminal.session !== place.session)
    return [{ name: 'cao_window', value: `${terminal.session}:${terminal.window}` }];
  const { status } = terminal;
  if (isUnobserved(status)) return [];
  if (status === 'processing') return [{ name: 'cao_status', value: status, busy: true }];
  if (!isReadyFor(terminal)) return [{ name: 'cao_status', value: status! }];
  return mail ? [{ name: 'cao_inbox', value: 'pending' }] : [];
}
