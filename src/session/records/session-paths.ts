import * as path from 'node:path';
import { ensurePrivateDirectory } from '../../base/index.ts';
import type { BackendKind } from '../../domain/index.ts';
import { gatewayFiles, manifestFiles } from '../../wire/files/session-files.ts';

export type SessionPaths = ReturnType<typeof sessionPaths>;

/** Every place of one session. The manifest's directory is the session root; nothing of a session lies outside it. */
export function sessionPaths(root: string) {
  // As in gatewayFiles: whoever lists agents names the files of each.
  const at = (name: string): string => `${path.normalize(root)}/${name}`;
  return {
    root,
    ...manifestFiles(root),
    /** One life-cycle action at a time: attach, detach, stop, relaunch, cleaning up. */
    lifecycleLock: at('lifecycle.lock'),
    /** What starts the tool, and what it left behind: scripts, settings of this session only, exit record. */
    launch: at('launch'),
    /** One file per event a tool's hooks reported. */
    signals: at('signals'),
    ...gatewayFiles(at('gateway')),
  };
}

/** The session root of a new session: `<runtime>/sessions/<backend>/<session-id>`. */
export function newSessionRoot(runtimeDir: string, backend: BackendKind, sessionId: string): string {
  return path.join(runtimeDir, 'sessions', backend, sessionId);
}

export function makeSessionDirectories(paths: SessionPaths): void {
  for (const directory of [paths.root, paths.launch, paths.signals, paths.gateway, paths.run, paths.logs]) {
    ensurePrivateDirectory(directory);
  }
}
