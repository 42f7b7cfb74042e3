/**
 * What the operating system knows about its processes, sockets and locks. A process that is not there is a fact:
 * undefined, or an empty list. What cannot be read (no descriptors left, not allowed, a failing kernel) is thrown with
 * its cause; it never means that a process has ended. `system.contract.ts` tests it.
 */
export interface System {
  runningPids(): number[];
  processStatus(pid: number): ProcessStatus | undefined;
  /** When a process began, by today's wall clock, to the second; undefined if the system does not show it. */
  startedAtMs(process: { startTicks: number | null }): number | undefined;
  /** The uid it runs as. */
  accountOf(pid: number): number | undefined;
  /** The words it was started with; empty if it has ended. */
  commandLineOf(pid: number): string[];
  /** The `NAME=value` entries it was started with; empty if it has ended. */
  environmentOf(pid: number): string[];
  childrenOf(pid: number): number[];
  /** Its working directory. */
  directoryOf(pid: number): string | undefined;
  /** The paths of its open files. A pipe or socket, which has no path, is named in the system's own way. */
  openFilesOf(pid: number): string[];
  /** Who holds the flock on a file. */
  lockHoldersOf(file: string): number[];
  /** Who made the socket at the other end of a connection within this machine. */
  socketOwner(ends: Ends): SocketOwner;
  /** Differs for each start of the machine; null if, or while, it cannot be known. */
  bootId(): string | null;
  /** How many files this process may open; undefined if the system does not show it. */
  openFilesLimit(): number | undefined;
  /** The lowest port that the system assigns to programs that ask for any; undefined if it does not show it. */
  lowestGivenPort(): number | undefined;
  /** A path to an open file of this process, even after its name is gone; undefined if the system has none. */
  pathOfDescriptor(fd: number): string | undefined;
  /** Directories whose regular files show the insides of the kernel and of every process. */
  readonly kernelTrees: readonly string[];
  /** The same facts for a script of /bin/sh. */
  readonly inShell: InShell;
}

export interface ProcessStatus {
  /** The name of its program. The process may have changed it. */
  command: string;
  /** `ended`: a zombie. */
  state: 'running' | 'stopped' | 'ended';
  parent: number;
  processGroup: number;
  /** The number of its terminal's device; 0 without one. */
  terminal: number;
  /** The process group that holds that terminal. */
  foregroundGroup: number;
  /** When it began, counted since boot. With the pid, it identifies this process and no later one. */
  startTicks: number;
}

/** The two ends of a TCP connection within this machine, as the accepting side sees them. */
export interface Ends {
  localAddress?: string | undefined;
  localPort?: number | undefined;
  remoteAddress?: string | undefined;
  remotePort?: number | undefined;
}

/** A uid; `none` if no live socket has these ends; `unaskable` if the system cannot be asked. */
export type SocketOwner = number | 'none' | 'unaskable';

export interface InShell {
  /** Lines that set `started` to the `startTicks` of the shell itself, and `boot` to the boot id. */
  identity: string;
  /** A line that sets `now` to the whole seconds since boot. */
  uptime: string;
}
