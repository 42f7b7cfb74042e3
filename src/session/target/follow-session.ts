import { conflict } from '../../base/index.ts';
import type { SessionManifest } from '../../wire/index.ts';
import { type ManifestFacts, readManifestFacts } from '../records/manifest-facts.ts';
import type { SessionContext } from '../session-context.ts';
import { tmuxOf } from '../session-tmux.ts';
import { ownSessions } from './live-sessions.ts';

export interface Followed {
  facts: ManifestFacts;
  /** Its tmux session lives. */
  lives: boolean;
  /** What it was called before somebody renamed it; only when that was found out now. */
  renamedFrom?: string | undefined;
}

/**
 * The agent's tmux session as it is called now. A person may rename it at any time; manifest and registry then learn
 * the new name from whoever looks next, so that nobody takes a session that lives for one that is gone.
 */
export async function followSession(context: SessionContext, facts: ManifestFacts): Promise<Followed> {
  const names = ownSessions(facts, await tmuxOf(context, facts).sessions(), context.env);
  if (names.length > 1) {
    throw conflict(`${names.length} tmux sessions say that they are the one of agent ${facts.agentName}`, {
      hint: `unset HOUMAO_MANIFEST_PATH in those that are not: ${names.join(', ')}`,
      facts: { cause: 'ambiguous', tmux_sessions: names },
    });
  }
  const [name] = names;
  if (name === undefined) return { facts, lives: false };
  if (name === facts.tmuxSessionName) return { facts, lives: true };
  const variables = await tmuxOf(context, facts).environment({ session: name, window: facts.caoWindow });
  if (variables?.get('HOUMAO_MANIFEST_PATH') !== facts.path) return { facts, lives: false };
  return { facts: await rename(context, facts, name), lives: true, renamedFrom: facts.tmuxSessionName };
}

async function rename(context: SessionContext, facts: ManifestFacts, name: string): Promise<ManifestFacts> {
  const [{ updateManifest }, { publishRenamed }] = await Promise.all([
    import('../records/manifest-store.ts'),
    import('./publish-capability.ts'),
  ]);
  await updateManifest(facts.root, context.clock, (manifest) => renamed(manifest, name));
  const after = readManifestFacts(facts.path);
  await publishRenamed(context, after);
  return after;
}

/** How the server that owns it calls it (`gateway_authority`) stays: that is a reference, not a name of tmux. */
function renamed(manifest: SessionManifest, name: string): SessionManifest {
  const { tmux, agent_launch_authority: authority, houmao_server: server } = manifest;
  return {
    ...manifest,
    tmux_session_name: name,
    ...(tmux && { tmux: { ...tmux, session_name: name } }),
    ...(authority && { agent_launch_authority: { ...authority, tmux_session_name: name } }),
    ...(server && { houmao_server: { ...server, session_name: name } }),
  };
}
