import * as path from 'node:path';
import { isRouseError, notFound, systemClock } from '../../base/index.ts';
import { type MailMessage, type MailOperationName, OPERATOR } from '../../domain/index.ts';
import type { MailNumbers } from '../../mail/index.ts';
import type { HostMail, RosterAgent } from '../../session/index.ts';
import { sessionContext } from '../agents/target.ts';
import type { Input } from '../command.ts';
import { activeBindingOf, askMailOf } from '../mail/agent-door.ts';
import type { MailAnswer } from '../mail/door.ts';
import { MAILBOX_DOOR } from '../mail/mailbox-door.ts';
import { sessionAgent } from '../mail/session-agent.ts';

/** The one who reads: the agent of this session, else the person. */
export interface Reader {
  address: string;
  isAgent: boolean;
  /** An operation on the reader's own mailbox. */
  ask(operation: MailOperationName, body: object): Promise<MailAnswer>;
}

export async function readerOf(input: Input): Promise<Reader> {
  const agent = await sessionAgent(input);
  if (agent?.kind === 'local') {
    const { address } = await activeBindingOf(input, agent.facts);
    const ask: Reader['ask'] = (operation, body) => askMailOf(input, agent, { operation, body });
    return { address, isAgent: true, ask };
  }
  const { address } = OPERATOR;
  const flags = { mailboxRoot: undefined, address, transport: 'auto' };
  return {
    address,
    isAgent: false,
    ask: (operation, body) => MAILBOX_DOOR.ask({ ...input, flags }, operation, body),
  };
}

/** A message with the number by which its reader names it. */
export interface Numbered {
  number: number;
  mailbox: string;
  message: MailMessage;
}

export async function withNumbers<T>(
  input: Input,
  work: (numbers: MailNumbers) => Promise<T> | T,
): Promise<T> {
  const { MailNumbers } = await import('../../mail/index.ts');
  const numbers = new MailNumbers(path.join(input.settings.home, 'mail-numbers.sqlite'));
  try {
    return await work(numbers);
  } finally {
    numbers.close();
  }
}

/** Numbers messages; of those without a number, the oldest gets the lowest. Returns them in the order given. */
export function numbered(
  input: Input,
  reader: Reader,
  mails: readonly Omit<Numbered, 'number'>[],
): Promise<Numbered[]> {
  const oldestFirst = [...mails].reverse();
  return withNumbers(input, (book) => {
    const numbers = book.number(
      reader.address,
      oldestFirst.map(({ mailbox, message }) => ({ mailbox, ref: message.message_ref })),
    );
    return oldestFirst.map((mail, n) => ({ number: numbers[n]!, ...mail })).reverse();
  });
}

/** Runs with every mailbox of the host. */
export async function withHostMail<T>(input: Input, work: (mail: HostMail) => Promise<T>): Promise<T> {
  const { hostMail, roster } = await import('../../session/index.ts');
  const { openMailStore } = await import('../../mail/index.ts');
  const session = sessionContext(input);
  const agents = async () => {
    const { agents: all, known } = await roster(session);
    return all.flatMap(({ id, name }: RosterAgent) => {
      const place = known.get(id);
      return place ? [{ name, place }] : [];
    });
  };
  const mail = await hostMail({
    session,
    agents,
    openStore: async (root, run) => {
      const store = openMailStore({ root, clock: systemClock });
      try {
        return await run(store);
      } finally {
        await store.close();
      }
    },
  });
  return work(mail);
}

/** No mail store yet, or no mailbox in it: no mail. */
export async function orNothing<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (isRouseError(error) && error.code === 'not_found') return undefined;
    throw error;
  }
}

export const noSuchMail = (word: string): Error =>
  notFound(`there is no mail ${word}`, {
    hint: '"rouse inbox" shows your mail with its numbers; "rouse search WORDS" finds any',
  });
