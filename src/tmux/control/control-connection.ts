import { Emitter, invalid, randomHex } from '../../base/index.ts';
import { type Exec, notInstalled, notStarted } from '../exec.ts';
import { noAnswer, readProblem, tmuxError } from '../problem.ts';
import type { Commands, Runner, RunOptions } from '../runner.ts';
import { commandLine, commandSequence } from '../words.ts';
import { type ControlMessage, ControlParser } from './control-parser.ts';
import { type ControlProcess, NO_SUCH_PROGRAM, spawnOnLifeline } from './lifeline.ts';

/** A message that is not the response to a command. */
export type Notification = Exclude<ControlMessage, { kind: 'block' | 'exit' | 'broken' }>;
/** The last event. */
export interface Closed {
  kind: 'closed';
  reason: string;
}

interface Pending {
  label: string;
  nonce: string;
  lines: string[];
  error?: Error;
  settle: (error?: Error) => void;
}

const CLOSE_PATIENCE_MS = 2_000;
const PIPE_PATIENCE_MS = 200;
const RUN_TIMEOUT_MS = 10_000;

/** One `tmux -C` process: commands in, responses and notifications out. */
export class ControlConnection implements Runner {
  readonly events = new Emitter<Notification | Closed>();
  readonly #process: ControlProcess;
  readonly #parser = new ControlParser();
  readonly #pending: Pending[] = [];
  readonly #closed: Promise<void>;
  #startError: Error | undefined;
  #reason = '';
  #open = true;
  #sessionId = '';
  #movingTo: string | undefined;

  /** Attaches to exactly this target with these client flags. `-E` leaves the session's environment alone. */
  static async attach(exec: Exec, target: string, flags: string): Promise<ControlConnection> {
    const process = spawnOnLifeline(exec, ['-N', '-C', 'attach-session', '-E', '-f', flags, '-t', target]);
    const connection = new ControlConnection(process, exec.binary);
    const event = await connection.events.next(({ kind }) => kind === 'session-changed' || kind === 'closed');
    if (event.kind === 'closed') throw connection.#startError ?? readProblem('attach-session', event.reason);
    return connection;
  }

  private constructor(process: ControlProcess, binary: string) {
    this.#process = process;
    process.input.on('error', () => {}); // reported by the end of the process
    process.errors.on('data', (chunk: Buffer) => (this.#reason ||= chunk.toString().trim()));
    process.output.on('data', (chunk: Buffer) => {
      for (const message of this.#parser.feed(chunk)) this.#take(message);
    });
    process.child.once('error', (error) => (this.#startError = notStarted('sh', error)));
    process.child.once('exit', (status) => {
      if (status === NO_SUCH_PROGRAM) this.#startError = notInstalled(binary);
      // A stopped server keeps the pipes of its client open after the client has ended.
      setTimeout(() => this.#letGo(), PIPE_PATIENCE_MS);
    });
    this.#closed = new Promise((resolve) => process.child.once('close', () => resolve(this.#ended())));
  }

  get pid(): number | undefined {
    return this.#process.child.pid;
  }

  get sessionId(): string {
    return this.#sessionId;
  }

  /** False from the moment it starts to close. */
  get open(): boolean {
    return this.#open;
  }

  /** Settles when it has ended and `closed` was emitted. */
  get ended(): Promise<void> {
    return this.#closed;
  }

  run(commands: Commands, options: RunOptions = {}): Promise<string> {
    const label = commands[0]?.[0] ?? '';
    if (options.input !== undefined)
      return Promise.reject(invalid('a control client cannot pass standard input to a command'));
    if (!this.#open) return Promise.reject(disconnected(label, this.#reason));
    return new Promise((resolve, reject) => {
      const timeoutMs = options.timeoutMs ?? RUN_TIMEOUT_MS;
      const timer = setTimeout(() => reject(noAnswer(label, timeoutMs)), timeoutMs);
      const pending: Pending = {
        label,
        nonce: randomHex(12),
        lines: [],
        settle: (error) => {
          clearTimeout(timer);
          if (error) reject(error);
          else resolve(pending.lines.join('\n'));
        },
      };
      this.#pending.push(pending);
      // One command may return several blocks (if-shell, aliases), so a command of our own marks the end.
      const end = commandLine(['display-message', '-p', pending.nonce]);
      this.#process.input.write(`${commandSequence(commands)}\n${end}\n`);
    });
  }

  /** Attaches to another session. */
  async moveTo(sessionId: string): Promise<void> {
    this.#movingTo = sessionId;
    await this.run([['switch-client', '-E', '-t', `${sessionId}:`]]);
  }

  /** Detaches and waits for the end. */
  async close(reason = 'closed here'): Promise<void> {
    this.#open = false;
    this.#reason ||= reason;
    this.#process.input.end();
    const kill = setTimeout(() => this.#process.child.kill('SIGKILL'), CLOSE_PATIENCE_MS);
    await this.#closed;
    clearTimeout(kill);
  }

  #take(message: ControlMessage): void {
    switch (message.kind) {
      case 'block':
        this.#answer(message);
        break;
      case 'exit':
        this.#reason ||= message.reason || 'detached';
        break;
      case 'broken':
        this.#reason ||= `unexpected line in control mode: ${message.line}`;
        this.#process.child.kill('SIGKILL');
        break;
      case 'session-changed':
        this.#sessionChanged(message);
        break;
      default:
        this.events.emit(message);
    }
  }

  #answer(block: { own: boolean; ok: boolean; lines: string[] }): void {
    const pending = this.#pending[0];
    if (!block.own) {
      if (!block.ok) this.#reason ||= block.lines.join(' ');
    } else if (!pending) {
      this.#take({ kind: 'broken', line: '%begin' });
    } else if (!block.ok) {
      pending.error ??= readProblem(pending.label, block.lines.join('\n'));
    } else if (block.lines.length === 1 && block.lines[0] === pending.nonce) {
      this.#pending.shift();
      pending.settle(pending.error);
    } else {
      for (const line of block.lines) pending.lines.push(line);
    }
  }

  /** With `detach-on-destroy off` tmux moves the client to another session when its own ends. */
  #sessionChanged(message: Extract<ControlMessage, { kind: 'session-changed' }>): void {
    if (this.#sessionId !== '' && message.session !== this.#sessionId && message.session !== this.#movingTo) {
      void this.close('the session has ended');
      return;
    }
    this.#sessionId = message.session;
    this.events.emit(message);
  }

  #letGo(): void {
    for (const pipe of this.#process.child.stdio) pipe?.destroy();
  }

  #ended(): void {
    this.#open = false;
    this.#reason ||= 'the control client ended';
    for (const pending of this.#pending.splice(0)) pending.settle(disconnected(pending.label, this.#reason));
    this.events.emit({ kind: 'closed', reason: this.#reason });
  }
}

export function disconnected(label: string, reason: string): Error {
  const message = `tmux ${label}: the control client is gone (${reason}); it is unknown whether the command took effect`;
  return tmuxError('unavailable', 'disconnected', message);
}
