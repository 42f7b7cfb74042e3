import type { Clock, Emitter } from '../base/index.ts';
import type { BackendKind, Reason } from '../domain/index.ts';
import type { OwnerView } from './port.ts';
import type { Snapshot } from './watch/snapshot.ts';

export type { OwnerView, Snapshot };

/** `asked`: it reports that it typed. `refused`: nothing was typed, for certain. `unknown`: only the screen shows it. */
export type OwnerTyped =
  | { kind: 'asked' }
  | { kind: 'refused'; status: number | null; why: string }
  | { kind: 'unknown'; why: string };

/** A terminal of such a server, as it is stored: the server's address, and where the agent is in tmux. */
export interface OwnedTerminal {
  apiBaseUrl: string;
  terminalId: string;
  session: string;
  windowName: string;
  profileName: string | null;
}

/** A kind of server that owns terminals. Everything about a kind is in its room; owner-list.ts names the rooms. */
export interface OwnerKind {
  backend: BackendKind;
  /** Its `service` in the response to `GET /health`. */
  service: string;
  /** How a terminal of the server at this address is joined. */
  joinCommand(baseUrl?: string): string;
  /** Asks the server for a terminal that a person named. Changes nothing there. */
  find(
    request: { terminalId: string; url?: string | undefined },
    env: NodeJS.ProcessEnv,
  ): Promise<OwnedTerminal>;
  /** The terminal in which the server started this process; undefined if it left no mark. */
  terminalOf(pid: number): string | undefined;
  open(terminal: Omit<OwnedTerminal, 'profileName'>, on: { clock: Clock; env: NodeJS.ProcessEnv }): Owner;
}

/**
 * A server that owns the agent's terminal. It gives a second opinion on whether the agent may be disturbed. It types
 * what begins or ends a turn, so that it knows about the turn. Its report about typing is never proof.
 */
export interface Owner {
  /** Its name for people. */
  readonly name: string;
  /** The source in its evidence. */
  readonly source: string;
  start(): Promise<void>;
  close(): void;
  /** Emits when its report changes. */
  readonly changed: Emitter<void>;
  /** Informs it whether our own snapshot is ready. */
  noteReady(ready: boolean): void;
  /** Known reasons against typing: what it reports, or where its terminal is. */
  doubts(snapshot: Snapshot): Reason[];
  /** Asks it now. */
  ask(): Promise<void>;
  /** Why it cannot type this text at all. */
  refusals(text: string): string[];
  /** Pastes the text and presses Enter in one step. Never repeated. */
  submit(text: string): Promise<OwnerTyped>;
  /** Returns undefined if it cannot press this key. */
  press(key: string): Promise<OwnerTyped | undefined>;
  /** A key was pressed without it. */
  pressedBehind(): Promise<void>;
  view(snapshot: Snapshot): OwnerView;
}
