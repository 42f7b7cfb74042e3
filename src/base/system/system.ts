/**
 * What the operating system knows of its processes, sockets and locks. A process that is not there is a fact: undefined,
 * or an empty list. Whatever could not be looked at (no descriptors left, not allowed, a failing kernel) is thrown with its
 * cause: then nothing is known, least of all that a process has ended. Held by `system.contract.ts`.
 */
export interface System {
  runningPids(): number[];
  processStatus(pid: number): ProcessStatus | undefined;
  /** When a process began, by today's wall clock, to the second; undefined where the system does not tell. */
  startedAtMs(process: { startTicks: number | null }): number | undefined;
  /** The uid it runs as. */
  accountOf(pid: number): number | undefined;
  /** The words it was started with; none when it has ended. */
  commandLineOf(pid: number): string[];
  /** The `NAME=value` entries it was started with; none when it has ended. */
  environmentOf(pid: number): string[];
  childrenOf(pid: number): number[];
  /** Its working directory. */
  directoryOf(pid: number): string | undefined;
  /** The paths of the files it holds open; what has none (a pipe, a socket) is named in the system's own way. */
  openFilesOf(pid: number): string[];
  /** Who holds the flock on a file. */
  lockHoldersOf(file: string): number[];
  /** Who made the socket at the other end of a connection within this machine. */
  socketOwner(ends: Ends): SocketOwner;
  /** Another for each start of the machine; null where, or as long as, it cannot be known. */
  bootId(): string | null;
  /** How many files this process may have open; undefined where the system does not tell. */
  openFilesLimit(): number | undefined;
  /** The lowest port that the system gives to whoever asks for any; undefined where it does not tell. */
  lowestGivenPort(): number | undefined;
  /** A path that names what this process has open, also when that has lost its name; undefined where there is none. */
  pathOfDescriptor(fd: number): string | undefined;
  /** Where regular files show the insides of the kernel and of every process. */
  readonly kernelTrees: readonly string[];
  /** The same facts for a script of /bin/sh. */
  readonly inShell: InShell;
}

export interface ProcessStatus {
  /** The name of its program, which it may have changed. */
  command: string;
  /** `ended`: its parent has not asked how. */
  state: 'running' | 'stopped' | 'ended';
  parent: number;
  processGroup: number;
  /** The number of its terminal's device; 0 without one. */
  terminal: number;
  /** The process group that holds that terminal. */
  foregroundGroup: number;
  /** When it began, counted since boot: with the pid, it names this process and no later one. */
  startTicks: number;
}

/** The two ends of a TCP connection within this machine, as the one who accepted it sees them. */
export interface Ends {
  localAddress?: string | undefined;
  localPort?: number | undefined;
  remoteAddress?: string | undefined;
  remotePort?: number | undefined;
}

/** A uid; `nobody` when no living socket answers to it; `unaskable` where the system cannot be asked. */
export type SocketOwner = number | 'nobody' | 'unaskable';

export interface InShell {
  /** Lines that set `started` to the `startTicks` of the shell itself, and `boot` to the boot id. */
  identity: string;
  /** A line that sets `now` to the whole seconds since boot. */
  uptime: string;
}
