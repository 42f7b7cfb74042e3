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

/** A way to reach a tmux server: one process per call (exec.ts) or a line to a client that stays (control-client.ts). */
export interface Runner {
  /** What the commands printed, without the last line end. */
  run(commands: Commands, options?: RunOptions): Promise<string>;
}
