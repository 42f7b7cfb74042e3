import * as path from 'node:path';

/** tmux's name of the socket everybody shares. */
export const DEFAULT_SOCKET = 'default';

/**
 * The tmux server a command speaks to, always named: given in the settings, else the one this process lives in,
 * else the default. Unnamed, tmux would take whichever server the caller happens to be inside of.
 */
export function socketOf(given: string | undefined, env: NodeJS.ProcessEnv): string {
  return given ?? socketOfTmuxVariable(env['TMUX']) ?? DEFAULT_SOCKET;
}

/** `$TMUX` is `socket,pid,session`. */
export function socketOfTmuxVariable(value: string | undefined): string | undefined {
  return value?.split(',')[0] || undefined;
}

/** As a manifest records it: null for the default server. */
export function recordedSocket(socket: string, env: NodeJS.ProcessEnv): string | null {
  const defaultPath = path.join(
    env['TMUX_TMPDIR'] || '/tmp',
    `tmux-${process.getuid?.() ?? 0}`,
    DEFAULT_SOCKET,
  );
  return socket === DEFAULT_SOCKET || socket === defaultPath ? null : socket;
}
