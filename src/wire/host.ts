/** What is said over a host's socket: one line of JSON each way for each connection. The socket is its owner's alone. */
export type HostRequest =
  /** The words a gateway of its own process would be started with, and the environment it would have. */
  | { do: 'start'; root: string; words: string[]; env: Record<string, string> }
  /** Answered when it has ended. */
  | { do: 'end'; root: string; hand_over: boolean }
  | { do: 'status' }
  /** Ends it with all it holds; `hand_over`: live reminders are left to the gateways that come after. */
  | { do: 'stop'; hand_over?: boolean };

export interface HostedView {
  /** The session's gateway directory. */
  root: string;
  state: 'starting' | 'running' | 'waiting' | 'down';
  port: number | null;
  /** How often it was started again since its attach. */
  restarts: number;
}

export type HostAnswer =
  | { ok: true; held: boolean; pid: number; gateways: HostedView[] }
  | { ok: false; message: string };
