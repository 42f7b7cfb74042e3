import { type ChildProcessByStdio, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { Emitter, invalid, randomHex } from '../base/index.ts';
import { type ControlMessage, ControlParser } from './control-parser.ts';
import { type Exec, notStarted } from './exec.ts';
import { sessionTarget } from './names.ts';
import { OutputWatch, type PaneListener } from './output-watch.ts';
import { noAnswer, readProblem, tmuxError } from './problem.ts';
import type { Commands, Runner, RunOptions } from './runner.ts';
import { commandLine, commandSequence } from './words.ts';

/** What the owner is told. Blocks and output are not among it: they go to whoever asked. */
export type ControlEvent =
  | Exclude<ControlMessage, { kind: 'block' | 'output' | 'pause' | 'continue' | 'exit' | 'broken' }>
  /** The last event. The server, the session or only this client may be gone: `hasSession` tells which. */
  | { kind: 'closed'; reason: string };

interface Pending {
  label: string;
  nonce: string;
  lines: string[];
  error?: Error;
  settle: (error?: Error) => void;
}

/**
 * `ignore-size`: the windows keep the size their people gave them. `no-output`: nothing is sent, so nothing is woken,
 * until a pane is watched. Not `read-only`: from tmux 3.7 on keys are refused for everybody's commands while such a
 * client is attached. `-E` leaves the session's environment alone.
 */
const ATTACH = ['-C', 'attach-session', '-E', '-f', 'ignore-size,no-output', '-t'];
const CLOSE_PATIENCE_MS = 2_000;
const RUN_TIMEOUT_MS = 10_000;

/**
 * One client in control mode that stays attached to a session: commands without a process each, and events instead of
 * polling. Idle, it costs nothing. It is seen in `list-clients` and makes the session "attached", but it neither
 * resizes a window nor counts as activity.
 */
export class ControlClient implements Runner {
  readonly events = new Emitter<ControlEvent>();
  readonly #child: ChildProcessByStdio<Writable, Readable, Readable>;
  readonly #parser = new ControlParser();
  readonly #pending: Pending[] = [];
  readonly #output: OutputWatch;
  readonly #closed: Promise<string>;
  #startError: Error | undefined;
  #reason = '';
  #open = true;
  #sessionId = '';

  /** Attaches to the session; fails when there is none. */
  static async attach(exec: Exec, session: string): Promise<ControlClient> {
    const client = new ControlClient(exec, session);
    await client.#attached();
    return client;
  }

  private constructor(exec: Exec, session: string) {
    this.#output = new OutputWatch((command) => this.run([command]));
    const args = [...exec.serverArgs, ...ATTACH, sessionTarget(session)];
    this.#child = spawn(exec.binary, args, { cwd: '/', env: exec.env, stdio: ['pipe', 'pipe', 'pipe'] });
    this.#child.stdin.on('error', () => {}); // the end of the process says it
    this.#child.stderr.on('data', (chunk: Buffer) => (this.#reason ||= chunk.toString().trim()));
    this.#child.stdout.on('data', (chunk: Buffer) => {
      for (const message of this.#parser.feed(chunk)) this.#take(message);
    });
    this.#closed = new Promise((resolve) => {
      this.#child.once('error', (error) => {
        this.#startError = notStarted(exec.binary, error);
        this.#reason ||= this.#startError.message;
      });
      this.#child.once('close', () => resolve(this.#ended()));
    });
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  get sessionId(): string {
    return this.#sessionId;
  }

  /** False once the connection has ended; `closed` was or will be emitted. */
  get open(): boolean {
    return this.#open;
  }

  /** Never give it a command that waits (`wait-for`, `run-shell`): the commands behind it would wait too. */
  run(commands: Commands, options: RunOptions = {}): Promise<string> {
    const label = commands[0]?.[0] ?? '';
    if (options.input !== undefined)
      return Promise.reject(invalid('a control client has no standard input to give'));
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
      // One command may be answered by several blocks (if-shell, aliases), so a last one of our own ends the answer.
      const end = commandLine(['display-message', '-p', pending.nonce]);
      this.#child.stdin.write(`${commandSequence(commands)}\n${end}\n`);
    });
  }

  /** Gives the bytes the pane's program writes from now on. The result ends the watch. */
  watchOutput(pane: string, listener: PaneListener): Promise<() => void> {
    return this.#output.add(pane, listener);
  }

  /**
   * Emits `subscription-changed` when the format's value for the pane changes, at most once a second. The tmux server
   * works it out every second, so use it for few things and only while somebody needs them.
   */
  async watchFormat(name: string, pane: string, format: string): Promise<() => void> {
    if (!/^[A-Za-z0-9_-]+$/.test(name)) throw invalid(`${JSON.stringify(name)} cannot name a watch`);
    await this.run([['refresh-client', '-B', `${name}:${pane}:${format}`]]);
    return () => void this.run([['refresh-client', '-B', name]]).catch(() => {});
  }

  /** Detaches and waits for the end. */
  async close(): Promise<void> {
    this.#open = false;
    this.#reason ||= 'closed here';
    this.#child.stdin.end();
    const kill = setTimeout(() => this.#child.kill('SIGKILL'), CLOSE_PATIENCE_MS);
    await this.#closed;
    clearTimeout(kill);
  }

  #take(message: ControlMessage): void {
    switch (message.kind) {
      case 'block':
        this.#answer(message);
        break;
      case 'output':
      case 'pause':
      case 'continue':
        this.#output.take(message);
        break;
      case 'exit':
        this.#reason ||= message.reason || 'detached';
        break;
      case 'broken':
        this.#reason ||= `unexpected line in control mode: ${message.line}`;
        this.#child.kill('SIGKILL');
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
    if (this.#sessionId !== '' && message.session !== this.#sessionId) {
      this.#reason ||= 'the session has ended';
      void this.close();
      return;
    }
    this.#sessionId = message.session;
    this.events.emit(message);
  }

  async #attached(): Promise<void> {
    const arrived = this.events.next(({ kind }) => kind === 'session-changed' || kind === 'closed');
    const event = await arrived;
    if (event.kind === 'closed') throw this.#startError ?? readProblem('attach-session', event.reason);
  }

  #ended(): string {
    this.#open = false;
    this.#reason ||= 'the control client ended';
    for (const pending of this.#pending.splice(0)) pending.settle(disconnected(pending.label, this.#reason));
    this.events.emit({ kind: 'closed', reason: this.#reason });
    return this.#reason;
  }
}

function disconnected(label: string, reason: string): Error {
  const message = `tmux ${label}: the control client is gone (${reason}); whether it took effect is unknown`;
  return tmuxError('unavailable', 'disconnected', message);
}
