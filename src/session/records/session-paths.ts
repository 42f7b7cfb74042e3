import * as path from 'node:path';
import { ensurePrivateDirectory, invalid, readIfExists } from '../../base/index.ts';
import type { BackendKind } from '../../domain/index.ts';
import { isSameSocket, SHARED_SOCKET, socketPath } from '../../tmux/index.ts';
import { gatewayFiles, manifestFiles } from '../../wire/files/session-files.ts';
import { VARIABLE } from '../../wire/houmao/index.ts';

export type SessionPaths = ReturnType<typeof sessionPaths>;

/** Every place of one session. The manifest's directory is the session root; nothing of a session lies outside it. */
export function sessionPaths(root: string) {
  // As in gatewayFiles: listing agents builds these paths for each one.
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

/**
 * The tmux server a command speaks to, always as a path: given in the settings, else the one this process lives in,
 * else the default. Unnamed, tmux would take whichever server the caller happens to be inside of.
 */
export function socketOf(given: string | undefined, env: NodeJS.ProcessEnv): string {
  return socketPath(given ?? socketOfTmuxVariable(env['TMUX']), env);
}

/** `$TMUX` is `socket,pid,session`. */
export function socketOfTmuxVariable(value: string | undefined): string | undefined {
  return value?.split(',')[0] || undefined;
}

/** As a manifest records it: null for the default server. */
export function recordedSocket(socket: string): string | null {
  return isSameSocket(socket, SHARED_SOCKET) ? null : socket;
}

/** The server a manifest or a registry record names, as a path. */
export function serverOf(
  { tmuxSocket }: { tmuxSocket?: string | null | undefined },
  env: NodeJS.ProcessEnv,
): string {
  return socketPath(tmuxSocket ?? SHARED_SOCKET, env);
}

/** Published for an agent while a gateway lives, and only then. */
export const LIVE_VARIABLES = [
  VARIABLE.gatewayHost,
  VARIABLE.gatewayPort,
  VARIABLE.gatewayState,
  VARIABLE.gatewayProtocol,
] as const;

/** Pointers that older programs published; they are removed, because they may be stale. */
export const RETIRED_VARIABLES = [VARIABLE.oldAttachPath, VARIABLE.oldGatewayRoot] as const;

/** The variable by which a session, or a window, is known as an agent's. */
export const POINTER = VARIABLE.manifestPath;

/** Every variable that Rouse sets or unsets in a session. The pointer, by which a session is known as ours, comes last. */
export const OUR_VARIABLES = [...RETIRED_VARIABLES, ...LIVE_VARIABLES, VARIABLE.agentId, POINTER] as const;

const TOKEN_FILE_VARIABLE = VARIABLE.gatewayTokenFile;

/** The file that holds the bearer token of a gateway that demands one; the gateway makes it. */
function tokenFile(paths: SessionPaths, env: NodeJS.ProcessEnv): string {
  const given = env[TOKEN_FILE_VARIABLE];
  if (!given) return path.join(paths.gateway, 'token');
  if (!path.isAbsolute(given))
    throw invalid(`${TOKEN_FILE_VARIABLE} must be an absolute path, but is "${given}"`);
  return given;
}

export function readToken(paths: SessionPaths, env: NodeJS.ProcessEnv): string | undefined {
  return readIfExists(tokenFile(paths, env))?.trim() || undefined;
}
