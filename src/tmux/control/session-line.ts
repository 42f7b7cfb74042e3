import { currentTenant, Emitter, runAsTenant } from '../../base/index.ts';
import type { Exec } from '../exec.ts';
import { sessionTarget } from '../names.ts';
import type { Pane } from '../pane.ts';
import type { Commands, Runner, RunOptions } from '../runner.ts';
import { OutputWatch, type PaneOutput } from './output-watch.ts';
import { type LineEvent, type LineMember, lineTo, type ServerLine } from './server-line.ts';

/**
 * One session's share of this process's control client to a tmux server: quick commands, and events instead of polling. It
 * also emits events of the whole server and of other sessions. It ends with its session, with the server, or when no
 * session can be reached there any more.
 */
export class SessionLine implements Runner, LineMember {
  /** `closed` is the last event. `sessions-changed`: events may have been missed. */
  readonly events = new Emitter<LineEvent>();
  readonly sessionId: string;
  readonly #line: ServerLine;
  readonly #output: OutputWatch;
  /** Sessions share the control client, but not errors. */
  readonly #tenant = currentTenant();
  #open = true;

  /** Fails if there is no such session. */
  static async join(exec: Exec, session: string): Promise<SessionLine> {
    const line = lineTo(exec);
    return new SessionLine(exec, line, await line.enter(sessionTarget(session)));
  }

  private constructor(exec: Exec, line: ServerLine, id: string) {
    this.#line = line;
    this.sessionId = id;
    this.#output = new OutputWatch(exec, id, (reason) => this.end(reason));
    line.add(this);
  }

  /** The pid of the control client, which others may use too. */
  get pid(): number | undefined {
    return this.#line.pid;
  }

  /** False once it has ended and `closed` was emitted. */
  get open(): boolean {
    return this.#open;
  }

  /** Never pass a command that waits (`wait-for`, `run-shell`): all other commands would wait too. */
  run(commands: Commands, options?: RunOptions): Promise<string> {
    return this.#line.run(commands, options);
  }

  /** The current facts of a pane; requests through the same control client are combined. */
  glance(before: Pane): Promise<Pane> {
    return this.#line.glances.again(before);
  }

  /** Watches the bytes that the pane's program writes from now on, through a separate control client. Call the result to stop. */
  watchOutput(pane: string, listener: (event: PaneOutput) => void): Promise<() => void> {
    return this.#output.add(pane, listener);
  }

  receive(event: LineEvent): void {
    if (!this.#open) return;
    if (this.#tenant) runAsTenant(this.#tenant, () => this.events.emit(event));
    else this.events.emit(event);
  }

  end(reason: string): void {
    this.receive({ kind: 'closed', reason });
    void this.close();
  }

  async close(): Promise<void> {
    this.#open = false;
    await Promise.all([this.#output.close(), this.#line.leave(this)]);
  }
}
