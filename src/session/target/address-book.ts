import { commandLine, conflict, nearest, notFound } from '../../base/index.ts';
import { canonicalAddress } from '../../domain/index.ts';
import { byName, readRegistry } from '../records/registry-read.ts';
import type { SessionContext } from '../session-context.ts';

export interface KnownAddress {
  agentName: string;
  agentId: string;
  address: string;
}

/** The agent of this host that a plain name or a full mail address means; undefined when none has it. */
export function findAddress({ settings, clock }: SessionContext, to: string): KnownAddress | undefined {
  const { fresh } = readRegistry(settings.registryDir, clock.now().getTime());
  const named = to.includes('@')
    ? fresh.filter(({ mailbox }) => mailbox?.address === canonicalAddress(to))
    : byName(fresh, to);
  if (named.length > 1)
    throw conflict(`${named.length} agents are named "${to}"`, {
      hint: `give a full mail address: ${named.flatMap(({ mailbox }) => mailbox?.address ?? []).join(', ')}`,
    });
  const [record] = named;
  if (!record) return undefined;
  if (!record.mailbox)
    throw notFound(`agent ${record.agent_name} has no mailbox`, {
      hint: `give it one with "${commandLine`rouse agents mailbox register ${record.agent_name}`}"`,
    });
  return { agentName: record.agent_name, agentId: record.agent_id, address: record.mailbox.address };
}

/** Whether an agent of this name has a record here, however old. */
export function hasAgent(registryDir: string, name: string): boolean {
  const { fresh, expired } = readRegistry(registryDir, 0);
  return byName([...fresh, ...expired], name).length > 0;
}

/** What the registry knows that is spelt nearly like it. */
export function nearAddress({ settings, clock }: SessionContext, to: string): string | undefined {
  const { fresh } = readRegistry(settings.registryDir, clock.now().getTime());
  return nearest(
    to,
    fresh.map(({ agent_name }) => agent_name),
    1,
  )[0];
}
