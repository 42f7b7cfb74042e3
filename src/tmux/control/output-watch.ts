import { Emitter } from '../../base/index.ts';
import type { Exec } from '../exec.ts';
import { requirePaneId } from '../names.ts';
import { ControlConnection } from './control-connection.ts';
import type { ControlMessage } from './control-parser.ts';

export type PaneOutput =
  /** Bytes as the program wrote them; a character may be cut in two. */
  | { kind: 'output'; bytes: Buffer }
  /** Bytes were lost because they were not read in time: look at the screen again. */
  | { kind: 'gap' };

/** A reader that falls a second behind loses output instead of making tmux keep it. */
const LOUD = 'ignore-size,pause-after=1';

/**
 * The bytes of watched panes, through a connection that exists only while a pane is watched.
 *
 * Danger: tmux stops reading from a program while every attached client is a control client that does not take its
 * output, and the program then hangs in its next write. So a stopped gateway would freeze its agent. `pause-after` alone
 * does not prevent this, because tmux checks it only when it reads. The quiet client (server-line.ts) does: it is attached
 * to the same server and wants no output, so tmux continues to read. Both end with this process (lifeline.ts). For the same
 * reason an unwatched pane is paused (its output is dropped) and never switched `off`.
 */
export class OutputWatch {
  readonly #exec: Exec;
  readonly #sessionId: string;
  readonly #lost: (reason: string) => void;
  readonly #watched = new Map<string, Emitter<PaneOutput>>();
  readonly #silenced = new Set<string>();
  #connecting: Promise<ControlConnection> | undefined;

  /** `lost` is called when the connection ends by itself. */
  constructor(exec: Exec, sessionId: string, lost: (reason: string) => void) {
    this.#exec = exec;
    this.#sessionId = sessionId;
    this.#lost = lost;
  }

  /** Resolves when output flows; the result ends the watch. */
  async add(pane: string, listener: (event: PaneOutput) => void): Promise<() => void> {
    requirePaneId(pane);
    const emitter = this.#watched.get(pane) ?? new Emitter();
    this.#watched.set(pane, emitter);
    const stop = emitter.on(listener);
    const end = (): void => {
      stop();
      if (emitter.listenerCount > 0 || this.#watched.get(pane) !== emitter) return;
      this.#watched.delete(pane);
      if (this.#watched.size === 0) void this.close();
    };
    try {
      this.#connecting ??= this.#connect();
      const connection = await this.#connecting;
      this.#silenced.delete(pane);
      await connection.run([flow(pane, 'continue')]);
    } catch (error) {
      end();
      throw error;
    }
    return end;
  }

  async close(): Promise<void> {
    const connecting = this.#connecting;
    this.#connecting = undefined;
    this.#watched.clear();
    this.#silenced.clear();
    await connecting?.then((connection) => connection.close()).catch(reportedAsClosed);
  }

  async #connect(): Promise<ControlConnection> {
    const connection = await ControlConnection.attach(this.#exec, `${this.#sessionId}:`, LOUD);
    connection.events.on((event) => {
      if (event.kind === 'output' || event.kind === 'pause') this.#take(connection, event);
      else if (event.kind === 'closed' && this.#connecting !== undefined) this.#lost(event.reason);
    });
    return connection;
  }

  #take(connection: ControlConnection, message: Extract<ControlMessage, { kind: 'output' | 'pause' }>): void {
    const { pane } = message;
    const emitter = this.#watched.get(pane);
    if (message.kind === 'output') {
      if (emitter) emitter.emit({ kind: 'output', bytes: message.bytes });
      else this.#silence(connection, pane);
    } else if (emitter) {
      // The gap ends where output starts again, so it is reported then: a look at the screen now misses nothing.
      const resumed = connection.run([flow(pane, 'continue')]);
      resumed.then(() => emitter.emit({ kind: 'gap' })).catch(reportedAsClosed);
    }
  }

  #silence(connection: ControlConnection, pane: string): void {
    if (this.#silenced.has(pane)) return;
    this.#silenced.add(pane);
    // Remembered only while the command runs: a respawn (session.ts) makes tmux forget which panes were paused.
    connection
      .run([flow(pane, 'pause')])
      .catch(reportedAsClosed)
      .finally(() => this.#silenced.delete(pane));
  }
}

/** The connection has ended, which `closed` reports. */
function reportedAsClosed(): void {}

function flow(pane: string, state: 'pause' | 'continue'): string[] {
  return ['refresh-client', '-A', `${pane}:${state}`];
}
