import type { KnownAddress } from '../../session/index.ts';
import { sessionContext } from '../agents/target.ts';
import type { Input } from '../command.ts';

/** The agent with this name or address. Undefined is not an error yet: the mail store may know the name. */
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
