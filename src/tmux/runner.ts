/** Commands run one after the other in one turn of the tmux server; the first failure ends them. */
export type Commands = readonly (readonly string[])[];

export interface RunOptions {
  /** Given to the command on its standard input (`load-buffer -`). */
  input?: string | Buffer;
  /** Keeps the arguments out of the process list: they travel on standard input. Excludes `input`. */
  secret?: boolean;
  /** Infinity: no limit. */
  timeoutMs?: number;
  signal?: AbortSignal;
}

/** A way to reach a tmux server: one process per call (exec.ts) or a client that stays (session-line.ts). */
export interface Runner {
  /** A client that stays: an argument may be as long as a text, nobody sees it, and it arrives as a whole. */
  readonly stays?: boolean;
  /** What the commands printed, without the last line end. */
  run(commands: Commands, options?: RunOptions): Promise<string>;
}
