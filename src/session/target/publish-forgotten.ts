import * as fs from 'node:fs';
import * as path from 'node:path';
import { isRouseError, tryLockFile } from '../../base/index.ts';
import { manifestFiles } from '../../wire/files/session-files.ts';
import { readManifestFacts, tryManifestFacts } from '../records/manifest-facts.ts';
import { readRegistry } from '../records/registry-read.ts';
import { sessionPaths } from '../records/session-paths.ts';
import type { SessionContext } from '../session-context.ts';
import { tmuxOf } from '../session-tmux.ts';
import type { LiveSessions } from './live-sessions.ts';

/**
 * Live sessions that no fresh record names. A session counts as ours when it points back at its manifest, whatever
 * it is called now.
 */
export async function publishForgotten(context: SessionContext, sessions: LiveSessions): Promise<string[]> {
  const { runtimeDir, registryDir } = context.settings;
  const view = readRegistry(registryDir, context.clock.now().getTime());
  const known = new Set(view.fresh.map((record) => record.agent_id));
  const published: string[] = [];
  for (const manifestPath of manifests(runtimeDir)) {
    const facts = tryManifestFacts(manifestPath);
    if (!facts || known.has(facts.agentId)) continue;
    const session = await sessions.nameOf(facts);
    const variables =
      session === undefined
        ? undefined
        : await tmuxOf(context, facts).environment({ session, window: facts.caoWindow });
    if (variables?.get('HOUMAO_MANIFEST_PATH') !== manifestPath) continue;
    if (!(await publishAgain(context, manifestPath))) continue;
    known.add(facts.agentId);
    published.push(facts.agentId);
  }
  return published;
}

/** One session that cannot be published must not hide the others, and one that is being stopped is left alone. */
async function publishAgain(context: SessionContext, manifestPath: string): Promise<boolean> {
  const lock = tryLockFile(sessionPaths(path.dirname(manifestPath)).lifecycleLock);
  if (!lock) return false;
  try {
    const [{ publishCapability }, { followSession }] = await Promise.all([
      import('./publish-capability.ts'),
      import('./follow-session.ts'),
    ]);
    await followSession(context, readManifestFacts(manifestPath));
    await publishCapability(context, manifestPath);
    return true;
  } catch (error) {
    if (isRouseError(error)) return false;
    throw error;
  } finally {
    lock.release();
  }
}

/** Every manifest under a runtime directory, of sessions that live and of those that ended. */
export function manifests(runtimeDir: string): string[] {
  const below = (directory: string): string[] => {
    try {
      return fs.readdirSync(directory).map((name) => path.join(directory, name));
    } catch {
      return [];
    }
  };
  return below(path.join(runtimeDir, 'sessions'))
    .flatMap(below)
    .map((root) => manifestFiles(root).manifest)
    .filter((file) => fs.existsSync(file));
}
