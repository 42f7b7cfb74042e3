import { type ManifestFacts, tryManifestFacts } from '../records/manifest-facts.ts';
import { byName, readRegistry } from '../records/registry-read.ts';
import type { SessionContext } from '../session-context.ts';
import { followSession } from './follow-session.ts';
import { LiveSessions } from './live-sessions.ts';
import { publishForgotten } from './publish-forgotten.ts';

/** running: its tmux session lives. lost: it ended without being stopped, as by a reboot. none: nobody of that name. */
export type Whereabouts = { state: 'running' | 'lost'; facts: ManifestFacts } | { state: 'none' };

/** An agent that was not stopped is found also when its lease has run out. */
export async function whereabouts(context: SessionContext, agentName: string): Promise<Whereabouts> {
  await publishForgotten(context, new LiveSessions(context.env));
  const { fresh, expired } = readRegistry(context.settings.registryDir, context.clock.now().getTime());
  for (const record of [...byName(fresh, agentName), ...byName(expired, agentName)]) {
    const given = tryManifestFacts(record.runtime.manifest_path);
    if (!given) continue;
    const { facts, lives } = await followSession(context, given);
    return { state: lives ? 'running' : 'lost', facts };
  }
  return { state: 'none' };
}
