import * as path from 'node:path';

export type HostFiles = ReturnType<typeof hostFiles>;

/** Every file of a host of gateways, from its directory. */
export function hostFiles(directory: string) {
  const at = (name: string): string => path.join(directory, name);
  return {
    run: directory,
    /** The host that lives, as itself wrote it; a host without it never came up. */
    currentInstance: at('current-host.json'),
    keeper: at('keeper.json'),
    keeperScript: at('keeper.sh'),
    /** Held by the host for life. */
    lock: at('host.lock'),
    /** Held by whoever starts one. */
    startLock: at('start.lock'),
    socket: at('host.sock'),
    /** What it could tell nobody else. */
    errors: at('host.err'),
  };
}

/** Below the runtime directory: one directory for each program that hosts. */
export function hostsDirectory(runtimeDir: string): string {
  return path.join(runtimeDir, 'hosts');
}

/** Where its parent leaves it the gateways it holds, while the parent lives; it has no name. */
export const HOST_JOURNAL_FD = 5;
