import { runOutsideTenants, sleep, systemClock } from '../../base/index.ts';
import type { Exec } from '../exec.ts';
import type { Commands, RunOptions } from '../runner.ts';
import { socketPath } from '../socket.ts';
import { type Closed, ControlConnection, disconnected, type Notification } from './control-connection.ts';
import { PaneGlances } from './pane-glances.ts';

export type LineEvent = Exclude<Notification, { kind: 'output' | 'pause' }> | Closed;

/** A user of a shared control client. */
export interface LineMember {
  readonly sessionId: string;
  receive(event: LineEvent): void;
  /** Emits `closed`, and detaches. */
  end(reason: string): void;
}

/**
 * `ignore-size`: the windows keep the size of their people's terminals. `no-output`: nothing is sent, so nothing wakes up.
 * Not `read-only`: from 3.7 on, tmux refuses keys of every sender while such a client is attached.
 */
const QUIET = 'ignore-size,no-output';

/** A control client that ended sooner may have been detached by someone; the next one waits. */
const LIVED_MS = 1_000;
const LONGEST_PAUSE_MS = 5_000;

const lines = new Map<string, ServerLine>();

/** This process's one line to that server. */
export function lineTo(exec: Exec): ServerLine {
  const { socketName, socketPath: path } = exec.options;
  const key = JSON.stringify([exec.binary, socketPath(path ?? socketName, exec.env)]);
  const found = lines.get(key);
  if (found) return found;
  const made = new ServerLine(exec, () => {
    if (lines.get(key) === made) lines.delete(key);
  });
  lines.set(key, made);
  return made;
}

/**
 * The control client of this process to one tmux server, shared by all its sessions there. It is listed in
 * `list-clients`, but neither resizes a window nor counts as activity, and ends with this process, however that ends.
 *
 * A tmux client is attached to one session: here that of any member, and when that member leaves, that of another. If the
 * session ends, or someone detaches the client, a new client is started for the remaining members; a command without a
 * response fails, and it is unknown whether it took effect.
 */
export class ServerLine {
  /** Shared by all members. */
  readonly glances = new PaneGlances(this);
  readonly #exec: Exec;
  readonly #over: () => void;
  readonly #members = new Set<LineMember>();
  #connection: ControlConnection | undefined;
  /** Sessions join, leave and restart the line one at a time. */
  #turn: Promise<unknown> = Promise.resolve();
  /** The number of sessions that are about to become members. */
  #entering = 0;
  #startedMs = 0;
  #shortLives = 0;
  #looking: Promise<void> | undefined;

  constructor(exec: Exec, over: () => void) {
    this.#exec = exec;
    this.#over = over;
  }

  get pid(): number | undefined {
    return this.#connection?.pid;
  }

  /** Returns the session's id. The caller must become a member at once with `add`. */
  async enter(target: string): Promise<string> {
    this.#entering++;
    try {
      return await this.#inTurn(() => this.#reach(target));
    } catch (error) {
      this.#entering--;
      void this.#inTurn(() => this.#endIfEmpty());
      throw error;
    }
  }

  add(member: LineMember): void {
    this.#entering--;
    this.#members.add(member);
  }

  async leave(member: LineMember): Promise<void> {
    if (!this.#members.delete(member)) return;
    await this.#inTurn(async () => {
      if (!(await this.#endIfEmpty())) await this.#moveOn();
    });
  }

  async run(commands: Commands, options?: RunOptions): Promise<string> {
    if (!this.#connection?.open) {
      await this.#connection?.ended;
      await this.#turn;
    }
    if (this.#connection) return this.#connection.run(commands, options);
    throw disconnected(commands[0]?.[0] ?? '', 'no session is left there');
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#turn.then(() => runOutsideTenants(work));
    this.#turn = done.catch(() => {});
    return done;
  }

  async #reach(target: string): Promise<string> {
    if (!this.#connection?.open) return (await this.#connect(target)).sessionId;
    const id = ['display-message', '-p', '-t', target, '#{session_id}'];
    return this.#connection.run([['has-session', '-t', target], id]);
  }

  async #connect(target: string): Promise<ControlConnection> {
    const connection = await ControlConnection.attach(this.#exec, target, QUIET);
    this.#connection = connection;
    this.#startedMs = systemClock.monotonic();
    connection.events.on((event) => this.#handle(connection, event));
    return connection;
  }

  #handle(connection: ControlConnection, event: Notification | Closed): void {
    if (event.kind === 'output' || event.kind === 'pause') return;
    if (event.kind === 'closed') {
      if (connection === this.#connection) this.#connection = undefined;
      void this.#inTurn(() => this.#again(connection.sessionId, event.reason));
    } else if (event.kind === 'sessions-changed') void this.#endMissing();
    else this.#tellAll(event);
  }

  #tellAll(event: LineEvent): void {
    for (const member of [...this.#members]) member.receive(event);
  }

  /** The client is gone, and perhaps the session it was attached to. */
  async #again(before: string, reason: string): Promise<void> {
    if (await this.#endIfEmpty()) return;
    if (!this.#connection) await this.#connectAgain(before);
    if (this.#connection) {
      await this.#endMissing();
      this.#tellAll({ kind: 'sessions-changed' });
    } else {
      for (const member of [...this.#members]) member.end(reason);
    }
  }

  async #connectAgain(before: string): Promise<void> {
    const lived = systemClock.monotonic() - this.#startedMs;
    this.#shortLives = lived < LIVED_MS ? this.#shortLives + 1 : 0;
    if (this.#shortLives > 1)
      await sleep(systemClock, Math.min(LONGEST_PAUSE_MS, 25 * 2 ** this.#shortLives));
    const sessions = new Set([...this.#members].map(({ sessionId }) => sessionId));
    // The session that may be gone comes last.
    if (sessions.delete(before)) sessions.add(before);
    for (const id of sessions) if (await this.#connect(`${id}:`).catch(() => undefined)) return;
  }

  /** One request for all members. */
  #endMissing(): Promise<void> {
    const before = this.#looking;
    const look = runOutsideTenants(async () => {
      await before;
      if (look !== this.#looking) return; // a later look handles it
      const command = ['list-sessions', '-F', '#{session_id}'];
      const there = await this.#connection?.run([command]).catch(() => undefined);
      const ids = there?.split('\n');
      for (const member of [...this.#members])
        if (ids && !ids.includes(member.sessionId)) member.end('the session has ended');
    });
    this.#looking = look;
    return look;
  }

  /** Leaves a session that no member uses any more. */
  async #moveOn(): Promise<void> {
    const held = this.#connection?.sessionId;
    const members = [...this.#members];
    if (members.length === 0 || members.some(({ sessionId }) => sessionId === held)) return;
    // If that fails, the client ends, which is reported.
    await this.#connection?.moveTo(members[0]!.sessionId).catch(() => this.#connection?.close());
  }

  async #endIfEmpty(): Promise<boolean> {
    if (this.#members.size > 0 || this.#entering > 0) return false;
    const connection = this.#connection;
    this.#connection = undefined;
    this.#over();
    await connection?.close();
    return true;
  }
}
