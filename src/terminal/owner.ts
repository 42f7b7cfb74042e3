import type { Clock, Emitter } from '../base/index.ts';
import type { BackendKind, Reason } from '../domain/index.ts';
import type { OwnerView } from './port.ts';
import type { Snapshot } from './watch/snapshot.ts';

export type { OwnerView, Snapshot };

/** `asked`: it says that it typed. `refused`: certain that nothing was typed. `unknown`: only the screen can tell. */
export type OwnerTyped =
  | { kind: 'asked' }
  | { kind: 'refused'; status: number | null; why: string }
  | { kind: 'unknown'; why: string };

/** A terminal of such a server, as it is kept: whom to ask, and where in tmux the agent is. */
export interface OwnedTerminal {
  apiBaseUrl: string;
  terminalId: string;
  session: string;
  windowName: string;
  profileName: string | null;
}

/** A kind of server that owns terminals. Everything that is known of one is in its room; owner-list.ts names the rooms. */
export interface OwnerKind {
  backend: BackendKind;
  /** As `GET /health` of it says. */
  service: string;
  /** How a terminal of the server at this address is joined. */
  joinCommand(baseUrl?: string): string;
  /** Asks the server for a terminal that a person named. Changes nothing there. */
  find(
    request: { terminalId: string; url?: string | undefined },
    env: NodeJS.ProcessEnv,
  ): Promise<OwnedTerminal>;
  /** The terminal that the server says a process is in; undefined where it left no mark. */
  terminalOf(pid: number): string | undefined;
  open(terminal: Omit<OwnedTerminal, 'profileName'>, on: { clock: Clock; env: NodeJS.ProcessEnv }): Owner;
}

/**
 * A server that owns the agent's terminal. It gives a second opinion on whether the agent may be disturbed. It types
 * what begins or ends a turn, so that it knows about the turn. Its report about typing is never proof.
 */
export interface Owner {
  /** As people call it. */
  readonly name: string;
  /** As evidence of it is marked. */
  readonly source: string;
  start(): Promise<void>;
  close(): void;
  /** Emits when its report changes. */
  readonly changed: Emitter<void>;
  /** Informs it whether our own snapshot is ready. */
  noteReady(ready: boolean): void;
  /** Known reasons against typing: its report, or its place. */
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
