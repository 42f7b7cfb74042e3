import * as path from 'node:path';
import { ensurePrivateDirectory, invalid, readIfExists } from '../../base/index.ts';
import type { BackendKind } from '../../domain/index.ts';
import { isSameSocket, SHARED_SOCKET, socketPath } from '../../tmux/index.ts';
import { gatewayFiles, manifestFiles } from '../../wire/files/session-files.ts';
import { VARIABLE } from '../../wire/houmao/index.ts';

export type SessionPaths = ReturnType<typeof sessionPaths>;

/** Every path of one session. The manifest's directory is the session root, and everything is inside it. */
export function sessionPaths(root: string) {
  // As in gatewayFiles: listing agents builds these paths for each one.
  const at = (name: string): string => `${path.normalize(root)}/${name}`;
  return {
    root,
    ...manifestFiles(root),
    /** One life-cycle action at a time: attach, detach, stop, relaunch, cleaning up. */
    lifecycleLock: at('lifecycle.lock'),
    /** Scripts that start the tool, settings of this session only, and the exit record. */
    launch: at('launch'),
    /** It was stopped in order, and not brought back since. */
    stopped: `${at('launch')}/stopped.json`,
    /** One file per event that a hook of the tool reported. */
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

/**
 * The tmux server of a command, always as a path: from the settings, else the one this process runs in, else the default.
 * Without a path, tmux would use the server that the caller happens to be inside.
 */
export function socketOf(configured: string | undefined, env: NodeJS.ProcessEnv): string {
  return socketPath(configured ?? socketOfTmuxVariable(env['TMUX']), env);
}

/** `$TMUX` is `socket,pid,session`. */
export function socketOfTmuxVariable(value: string | undefined): string | undefined {
  return value?.split(',')[0] || undefined;
}

/** The socket as recorded in a manifest: null for the default server. */
export function recordedSocket(socket: string): string | null {
  return isSameSocket(socket, SHARED_SOCKET) ? null : socket;
}

/** The path of the server that a manifest or a registry record names. */
export function serverOf(
  { tmuxSocket }: { tmuxSocket?: string | null | undefined },
  env: NodeJS.ProcessEnv,
): string {
  return socketPath(tmuxSocket ?? SHARED_SOCKET, env);
}

/** Published for an agent only while a gateway lives. */
export const LIVE_VARIABLES = [
  VARIABLE.gatewayHost,
  VARIABLE.gatewayPort,
  VARIABLE.gatewayState,
  VARIABLE.gatewayProtocol,
] as const;

/** Pointers that older programs published. They are removed, because they may be stale. */
export const RETIRED_VARIABLES = [VARIABLE.oldAttachPath, VARIABLE.oldGatewayRoot] as const;

/** The variable that marks a session or window as an agent's. */
export const POINTER = VARIABLE.manifestPath;

/** Every variable that Rouse sets or unsets in a session. The pointer, which marks the session as ours, comes last. */
export const OUR_VARIABLES = [...RETIRED_VARIABLES, ...LIVE_VARIABLES, VARIABLE.agentId, POINTER] as const;

const TOKEN_FILE_VARIABLE = VARIABLE.gatewayTokenFile;

/** The file with the bearer token of a gateway that requires one. The gateway makes it. */
function tokenFile(paths: SessionPaths, env: NodeJS.ProcessEnv): string {
  const chosen = env[TOKEN_FILE_VARIABLE];
  if (!chosen) return path.join(paths.gateway, 'token');
  if (!path.isAbsolute(chosen))
    throw invalid(`${TOKEN_FILE_VARIABLE} must be an absolute path, but is "${chosen}"`);
  return chosen;
}

export function readToken(paths: SessionPaths, env: NodeJS.ProcessEnv): string | undefined {
  return readIfExists(tokenFile(paths, env))?.trim() || undefined;
}
