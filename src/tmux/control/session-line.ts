import { currentTenant, Emitter, runAsTenant } from '../../base/index.ts';
import type { Exec } from '../exec.ts';
import { sessionTarget } from '../names.ts';
import type { Pane } from '../pane.ts';
import type { Commands, Runner, RunOptions } from '../runner.ts';
import { OutputWatch, type PaneOutput } from './output-watch.ts';
import { type LineEvent, type LineMember, lineTo, type ServerLine } from './server-line.ts';

/**
 * One session's share of the control client that this process has to a tmux server: quick commands, and events instead
 * of polling. What is told of the whole server and of other sessions is told here too. It ends with its session, with the
 * server, and when nobody can be reached there any more.
 */
export class SessionLine implements Runner, LineMember {
  /** After `closed` nothing follows. `sessions-changed`: something may have been missed. */
  readonly events = new Emitter<LineEvent>();
  readonly sessionId: string;
  readonly #line: ServerLine;
  readonly #output: OutputWatch;
  /** Who shares a control client shares no errors. */
  readonly #tenant = currentTenant();
  #open = true;

  /** Fails when there is no such session. */
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

  /** Of the control client, which others may use too. */
  get pid(): number | undefined {
    return this.#line.pid;
  }

  /** False once it has ended; `closed` was told. */
  get open(): boolean {
    return this.#open;
  }

  /** Never give it a command that waits (`wait-for`, `run-shell`): the commands of everybody would wait too. */
  run(commands: Commands, options?: RunOptions): Promise<string> {
    return this.#line.run(commands, options);
  }

  /** What the tmux server tells of a pane now; whoever shares the control client shares the question. */
  glance(before: Pane): Promise<Pane> {
    return this.#line.glances.again(before);
  }

  /** The bytes the pane's program writes from now on, through a control client of their own. The result ends the watch. */
  watchOutput(pane: string, listener: (event: PaneOutput) => void): Promise<() => void> {
    return this.#output.add(pane, listener);
  }

  tell(event: LineEvent): void {
    if (!this.#open) return;
    if (this.#tenant) runAsTenant(this.#tenant, () => this.events.emit(event));
    else this.events.emit(event);
  }

  end(reason: string): void {
    this.tell({ kind: 'closed', reason });
    void this.close();
  }

  async close(): Promise<void> {
    this.#open = false;
    await Promise.all([this.#output.close(), this.#line.leave(this)]);
  }
}
