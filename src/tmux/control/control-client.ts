import { Emitter, invalid } from '../../base/index.ts';
import type { Exec } from '../exec.ts';
import { requirePaneId, sessionTarget } from '../names.ts';
import type { Commands, Runner, RunOptions } from '../runner.ts';
import { type Closed, ControlConnection, type Notification } from './control-connection.ts';
import { OutputWatch, type PaneOutput } from './output-watch.ts';

/** After `closed` nothing follows. The server, the session or only this client may be gone: `hasSession` tells. */
export type ControlEvent = Exclude<Notification, { kind: 'output' | 'pause' }> | Closed;

/**
 * `ignore-size`: the windows keep the size their people gave them. `no-output`: nothing is sent, so nothing is woken.
 * Not `read-only`: from tmux 3.7 on keys are refused, to every sender, while such a client is attached.
 */
const QUIET = 'ignore-size,no-output';

/**
 * A client in control mode that stays attached to a session: commands without a process each, and events instead of
 * polling. Idle, it costs nothing. It is seen in `list-clients` and makes the session "attached", but it neither
 * resizes a window nor counts as activity. It ends with this process, however that ends.
 */
export class ControlClient implements Runner {
  readonly events = new Emitter<ControlEvent>();
  readonly #connection: ControlConnection;
  readonly #output: OutputWatch;

  /** Attaches to the session; fails when there is none. */
  static async attach(exec: Exec, session: string): Promise<ControlClient> {
    return new ControlClient(exec, await ControlConnection.attach(exec, sessionTarget(session), QUIET));
  }

  private constructor(exec: Exec, connection: ControlConnection) {
    this.#connection = connection;
    this.#output = new OutputWatch(exec, connection.sessionId, (reason) => void this.#close(reason));
    connection.said.on((event) => {
      if (event.kind === 'output' || event.kind === 'pause') return;
      if (event.kind === 'closed') void this.#output.close();
      this.events.emit(event);
    });
  }

  get pid(): number | undefined {
    return this.#connection.pid;
  }

  get sessionId(): string {
    return this.#connection.sessionId;
  }

  /** False once the connection has ended; `closed` was or will be emitted. */
  get open(): boolean {
    return this.#connection.open;
  }

  /** Never give it a command that waits (`wait-for`, `run-shell`): the commands behind it would wait too. */
  run(commands: Commands, options?: RunOptions): Promise<string> {
    return this.#connection.run(commands, options);
  }

  /** Gives the bytes the pane's program writes from now on. The result ends the watch. */
  watchOutput(pane: string, listener: (event: PaneOutput) => void): Promise<() => void> {
    return this.#output.add(pane, listener);
  }

  /**
   * Emits `subscription-changed` when the format's value for the pane changes, at most once a second. The tmux server
   * works it out every second, so use it for few things and only while somebody needs them.
   */
  async watchFormat(name: string, pane: string, format: string): Promise<() => void> {
    if (!/^[A-Za-z0-9_-]+$/.test(name)) throw invalid(`${JSON.stringify(name)} cannot name a watch`);
    await this.run([['refresh-client', '-B', `${name}:${requirePaneId(pane)}:${format}`]]);
    return () => void this.run([['refresh-client', '-B', name]]).catch(() => {});
  }

  /** Detaches and waits for the end. */
  close(): Promise<void> {
    return this.#close();
  }

  async #close(reason?: string): Promise<void> {
    await Promise.all([this.#output.close(), this.#connection.close(reason)]);
  }
}
