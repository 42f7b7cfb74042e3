import { commandLine } from '../../base/index.ts';
import { enableCommand } from '../../domain/index.ts';
import { tryManifestFacts } from '../records/manifest-facts.ts';
import { readRecord } from '../records/registry-read.ts';
import type { SessionContext } from '../session-context.ts';
import { seenAgent } from './roster.ts';

/** Why mail wakes this agent of this host in no case, and the command that changes it; undefined when it may. */
export async function whyNotWoken(context: SessionContext, agentId: string): Promise<string | undefined> {
  const record = readRecord(context.settings.registryDir, agentId);
  if (record === undefined || record === 'malformed') return undefined;
  const facts = tryManifestFacts(record.runtime.manifest_path);
  if (!facts) return undefined;
  const { state, needs_you, needs, gateway, wakes } = await seenAgent(context, facts);
  const isCutOff = state === 'gone' || needs[0]?.kind === 'gateway_dead';
  if (isCutOff && needs_you !== null) return needs_you;
  if (gateway === 'restarting') return undefined;
  const { agentName: name } = facts;
  if (gateway !== 'live')
    return `it has no gateway; "${commandLine`rouse agents gateway attach ${name}`}" attaches one`;
  if (wakes?.on !== false) return undefined;
  const former = wakes.former ?? { interval_seconds: null };
  return `its wakes are off; "${enableCommand(name, former)}" turns them on`;
}
