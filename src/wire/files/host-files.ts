import * as path from 'node:path';

export type HostFiles = ReturnType<typeof hostFiles>;

/** Every file of a host of gateways, from its directory. */
export function hostFiles(directory: string) {
  const at = (name: string): string => path.join(directory, name);
  return {
    run: directory,
    /** Written by the running host; a host without it never started fully. */
    currentInstance: at('current-host.json'),
    keeper: at('keeper.json'),
    keeperScript: at('keeper.sh'),
    /** Held by the host as long as it runs. */
    lock: at('host.lock'),
    /** Held while a host is started. */
    startLock: at('start.lock'),
    socket: at('host.sock'),
    /** Errors that it could not report elsewhere. */
    errors: at('host.err'),
  };
}

/** The directory with one directory per host, below the runtime directory. */
export function hostsDirectory(runtimeDir: string): string {
  return path.join(runtimeDir, 'hosts');
}

/** The outbox of notices, what is kept with it, and the lock of the host that sends them; below the runtime directory. */
export function noticeFiles(runtimeDir: string) {
  const directory = path.join(runtimeDir, 'notices');
  return {
    directory,
    outbox: path.join(directory, 'notices.sqlite'),
    /** Where the home keeps its files, for the host: written when someone subscribes. */
    place: path.join(directory, 'place.json'),
    hostLock: path.join(directory, 'host.lock'),
  };
}

/** Descriptor of the unnamed file in which a parent keeps the gateways of its host. */
export const HOST_JOURNAL_FD = 5;
