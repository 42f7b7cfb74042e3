import * as fs from 'node:fs';
import * as path from 'node:path';
import { isRouseError, tryLockFile } from '../base/index.ts';
import { tryManifestFacts } from './manifest-facts.ts';
import { readRegistry } from './registry-read.ts';
import type { SessionContext } from './session-context.ts';
import type { SessionNames } from './session-names.ts';
import { sessionPaths } from './session-paths.ts';
import { SessionTmux } from './session-tmux.ts';
import { DEFAULT_SOCKET } from './tmux-socket.ts';

/**
 * Live sessions that no fresh record names. A session counts as ours when the tmux session its manifest names
 * lives and points back at that manifest.
 */
export async function publishForgotten(context: SessionContext, sessions: SessionNames): Promise<string[]> {
  const { runtimeDir, registryDir } = context.settings;
  const view = readRegistry(registryDir, context.clock.now().getTime());
  const known = new Set(view.fresh.map((record) => record.agent_id));
  const published: string[] = [];
  for (const manifestPath of manifests(runtimeDir)) {
    const facts = tryManifestFacts(manifestPath);
    if (!facts || known.has(facts.agentId)) continue;
    if (!(await sessions.has(facts.tmuxSocket, facts.tmuxSessionName))) continue;
    const tmux = new SessionTmux(facts.tmuxSocket ?? DEFAULT_SOCKET, context.env);
    const variables = await tmux.environment(facts.tmuxSessionName);
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
    const { publishCapability } = await import('./publish-capability.ts');
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
    .map((root) => path.join(root, 'manifest.json'))
    .filter((file) => fs.existsSync(file));
}
