import type { MailOperationName } from '../../domain/index.ts';
import type { Flag, InputOf } from '../command.ts';

/** What every answer carries beside its own fields: who was asked, and how. */
export type MailAnswer = Record<string, unknown>;

/** One way to find a mailbox. What can be asked of it is the same whichever way it was found: commands.ts. */
export interface MailDoor<List extends readonly Flag[]> {
  /** The words before the command, and those that name a mailbox, for examples. */
  example: { family: string; mailbox: string };
  /** Flags that choose the mailbox. */
  flags: List;
  ask(input: InputOf<List>, operation: MailOperationName | 'status', body: object): Promise<MailAnswer>;
}

/** Marks an answer as the mailbox's own word, and says which way it came. */
export function answered(
  operation: string,
  path: 'gateway_backed' | 'manager_direct',
  answer: object,
): MailAnswer {
  return { operation, ...answer, execution_path: path, authoritative: true, status: 'verified' };
}
