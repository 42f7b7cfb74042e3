import type { KnownAddress } from '../../session/index.ts';
import { sessionContext } from '../agents/target.ts';
import type { Input } from '../command.ts';

/** The agent that a plain name or an address means; a name of nobody is left to the mail store, which knows more. */
export async function recipient(input: Input, to: string): Promise<KnownAddress | undefined> {
  const { findAddress } = await import('../../session/index.ts');
  return findAddress(sessionContext(input), to);
}

/** Plain names become the mail addresses of the agents of this host. */
export async function addresses(input: Input, given: readonly string[]): Promise<string[]> {
  return Promise.all(
    given.map(async (to) => (to.includes('@') ? to : ((await recipient(input, to))?.address ?? to))),
  );
}
