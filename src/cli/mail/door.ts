import type { MailOperationName } from '../../domain/index.ts';
import type { ManifestFacts } from '../../session/index.ts';
import type { Flag, InputOf } from '../command.ts';

/** The result of a mail operation, with how it was executed. */
export type MailAnswer = Record<string, unknown>;

/** One way to find a mailbox. The operations on it are always the same: commands.ts. */
export interface MailDoor<List extends readonly Flag[]> {
  /** The words before the command, and those that name a mailbox, for examples. */
  example: { family: string; mailbox: string };
  /** Flags that choose the mailbox. */
  flags: List;
  /** The agent whose mailbox it is: bare recipients mean those of its project first. */
  sender?(input: InputOf<List>): Promise<{ facts?: ManifestFacts | undefined }>;
  ask(input: InputOf<List>, operation: MailOperationName | 'status', body: object): Promise<MailAnswer>;
}

/** Marks a result as authoritative, and adds how it was executed. */
export function answered(
  operation: string,
  path: 'gateway_backed' | 'manager_direct',
  answer: object,
): MailAnswer {
  return { operation, ...answer, execution_path: path, authoritative: true, status: 'verified' };
}
