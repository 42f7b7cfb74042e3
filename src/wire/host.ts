/** Requests and replies on a host's socket: one line of JSON each way per connection. Only its owner can open the socket. */
export type HostRequest =
  /** The arguments and environment that a gateway in its own process would have. */
  | { do: 'start'; root: string; words: string[]; env: Record<string, string> }
  /** The reply comes when it has ended. */
  | { do: 'end'; root: string; hand_over: boolean }
  | { do: 'status' }
  /** Starts the notices of this home, or looks at its subscriptions again. `leave`: another host takes them over. */
  | { do: 'notices'; leave?: boolean }
  /** Ends the host with its gateways; `hand_over`: live reminders are left to the next gateways. */
  | { do: 'stop'; hand_over?: boolean };

export interface HostedView {
  /** The session's gateway directory. */
  root: string;
  state: 'starting' | 'running' | 'waiting' | 'down';
  port: number | null;
  /** Restarts since its attach. */
  restarts: number;
}

export type HostAnswer =
  | { ok: true; held: boolean; pid: number; gateways: HostedView[] }
  | { ok: false; message: string };
