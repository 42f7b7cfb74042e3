import type { KnownAddress, ManifestFacts, SessionContext } from '../../session/index.ts';
import { sessionContext } from '../agents/target.ts';
import type { Input } from '../command.ts';

/** Whose project bare names mean first: the sender's, if an agent sends, else that of the working directory. */
export async function senderContext(
  input: Input,
  sender: { facts?: ManifestFacts | undefined } | undefined,
): Promise<SessionContext> {
  const context = sessionContext(input);
  if (!sender?.facts) return context;
  const { projectOf } = await import('../../session/index.ts');
  const { directory } = projectOf(sender.facts);
  if (directory === context.here?.directory) return context;
  const { membersAt } = await import('../../config/index.ts');
  const { env, settings } = input;
  return {
    ...context,
    here: { directory, members: await membersAt({ env, cwd: directory, home: settings.home }) },
  };
}

/** The agent with this name or address. Undefined is not an error yet: the mail store may know the name. */
export async function recipient(context: SessionContext, to: string): Promise<KnownAddress | undefined> {
  const { findAddress } = await import('../../session/index.ts');
  return findAddress(context, to);
}

/** Plain names become the mail addresses of the agents of this host. `sender` is asked for only if there are any. */
export async function addresses<I extends Input>(
  input: I,
  given: readonly string[],
  sender: ((input: never) => Promise<{ facts?: ManifestFacts | undefined }>) | undefined,
): Promise<string[]> {
  if (given.every((to) => to.includes('@'))) return [...given];
  const context = await senderContext(input, await sender?.(input as never));
  const { addressMeant } = await import('../../session/index.ts');
  return given.map((to) => addressMeant(context, to));
}
