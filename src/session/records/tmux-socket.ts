import { isSameSocket, SHARED_SOCKET, socketPath } from '../../tmux/index.ts';

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

/** As a manifest records it: null for the server everybody shares. */
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
