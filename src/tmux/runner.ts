/** Commands that run one after the other in one step of the tmux server; the first failure ends them. */
export type Commands = readonly (readonly string[])[];

export interface RunOptions {
  /** Passed to the command on its standard input (`load-buffer -`). */
  input?: string | Buffer;
  /** Passes the arguments on standard input, to keep them out of the process list. Excludes `input`. */
  secret?: boolean;
  /** Infinity: no limit. */
  timeoutMs?: number;
  signal?: AbortSignal;
}

/** A way to reach a tmux server: one process per call (exec.ts) or a persistent client (session-line.ts). */
export interface Runner {
  /** A persistent client: an argument may be a whole text, no one else sees it, and it arrives complete. */
  readonly stays?: boolean;
  /** Returns the output of the commands, without the last line end. */
  run(commands: Commands, options?: RunOptions): Promise<string>;
}
