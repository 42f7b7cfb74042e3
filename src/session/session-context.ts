import { type Clock, ensurePrivateDirectory, lockFile, tryLockFile } from '../base/index.ts';
import { sessionPaths } from './records/session-paths.ts';

/** What every action of this room needs from outside. */
export interface SessionContext {
  settings: SessionSettings;
  /** The caller's environment, which a tool started for the caller inherits. */
  env: NodeJS.ProcessEnv;
  clock: Clock;
  signal?: AbortSignal | undefined;
  /** Where the caller is: short names mean the agents of that project first. Undefined: names on the machine only. */
  here?: Here | undefined;
  /** Reports what the action is waiting for. */
  progress?: ((text: string) => void) | undefined;
  /** Command words of the gateway program, if it is not the one of this installation. */
  gatewayProgram?: string[] | undefined;
}

export interface Here {
  directory: string;
  /** Agents that the project's team names; they are its own even before they run. */
  members?: readonly string[] | undefined;
}

export interface SessionSettings {
  runtimeDir: string;
  mailboxDir: string;
  registryDir: string;
  /** A tmux socket name or path; undefined means tmux's own default. */
  tmuxSocket: string | undefined;
  /** The fleet server that agents register with at launch. */
  fleet?: { url: string; tokenFile: string; caFile?: string | undefined } | undefined;
}

/**
 * An attach may take ten seconds for each of two ports, a detach seven, and a failed restart 17 and three starts. A
 * caller that waits longer gets an error.
 */
const TIMEOUT_MS = 50_000;

/** One life-cycle action of a session at a time, across all processes. The kernel frees the lock when its holder dies. */
export async function withLifecycleLock<T>(
  { clock, signal, progress }: SessionContext,
  root: string,
  work: () => Promise<T>,
): Promise<T> {
  ensurePrivateDirectory(root);
  const file = sessionPaths(root).lifecycleLock;
  let lock = tryLockFile(file);
  if (!lock) {
    progress?.('waiting for another action on this session');
    lock = await lockFile(file, { timeoutMs: TIMEOUT_MS, clock, ...(signal && { signal }) });
  }
  try {
    return await work();
  } finally {
    lock.release();
  }
}
