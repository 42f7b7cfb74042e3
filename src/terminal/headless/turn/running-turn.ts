import * as fs from 'node:fs';
import * as path from 'node:path';
import {
  type Clock,
  Emitter,
  isProcessAlive,
  type Log,
  messageOf,
  type ProcessIdentity,
} from '../../../base/index.ts';
import { type CanonicalEvent, renderEvent } from '../events/canonical-event.ts';
import type { EventStream } from '../events/event-stream.ts';
import { OutputReader } from '../runner/output-reader.ts';
import { endGroup, endLeftOver } from '../runner/process-group.ts';
import type { Exit } from '../runner/start-runner.ts';
import { endTurn, type StopCause, type TurnEnd, type TurnLimits, writeStopCause } from './settle-turn.ts';
import { attemptFile, attemptState, readExitCode, readToolPid, type TurnFiles } from './turn-files.ts';

export interface RunningTurnOptions {
  files: TurnFiles;
  attempt: string;
  runner: ProcessIdentity;
  /** Only for our own child; a turn of an earlier gateway is polled instead. */
  exit?: Promise<Exit>;
  /** How long it had run when it was adopted. */
  ageMs: number;
  stream: EventStream;
  /** False when another process watches the turn and writes its events. */
  keepsEvents?: boolean;
  limits: TurnLimits;
  clock: Clock;
  log: Log;
}

/** A fallback for file systems that report no changes, and for a runner that is not our child. */
const SAFETY_MS = 500;

/** A running turn: parses its output, enforces its limits, notices its end. */
export class RunningTurn {
  readonly events = new Emitter<CanonicalEvent>();
  /** The tool's process id; null if the turn ended before the tool ran, or is no longer watched. */
  readonly toolStarted: Promise<number | null>;
  readonly firstEvent: Promise<CanonicalEvent | null>;
  /** Null if it still runs but is no longer watched. */
  readonly ended: Promise<TurnEnd | null>;
  readonly options: RunningTurnOptions;
  readonly #reader: OutputReader;
  readonly #eventsFile: number | undefined;
  readonly #from: number;
  #resolveTool!: (pid: number | null) => void;
  #resolveEvent!: (event: CanonicalEvent | null) => void;
  #resolveEnd!: (end: TurnEnd | null) => void;
  #watcher: fs.FSWatcher | undefined;
  #cancelSafety: (() => void) | undefined;
  #cancelTimeout: (() => void) | undefined;
  #looking: Promise<void> | undefined;
  #lookAgain = false;
  #exit: Exit | undefined;
  #toolPid: number | undefined;
  #stopped: StopCause | undefined;
  #unwritable = false;
  #over = false;

  constructor(options: RunningTurnOptions) {
    this.options = options;
    this.#reader = new OutputReader(options.files.stdout);
    this.#eventsFile =
      options.keepsEvents === false ? undefined : fs.openSync(options.files.events, 'w', 0o600);
    this.#from = options.clock.monotonic() - options.ageMs;
    this.toolStarted = new Promise((resolve) => (this.#resolveTool = resolve));
    this.firstEvent = new Promise((resolve) => (this.#resolveEvent = resolve));
    this.ended = new Promise((resolve) => (this.#resolveEnd = resolve));
    void options.exit?.then((exit) => {
      this.#exit = exit;
      this.#look();
    });
    this.#watch();
    this.#armTimeout();
    this.#look();
  }

  get id(): string {
    return this.options.files.id;
  }

  /** Ends the turn's process group. Resolves when the turn has ended; the first cause stays. */
  async stop(cause: StopCause): Promise<TurnEnd | null> {
    if (!this.#over && this.#stopped === undefined) {
      this.#stopped = cause;
      const { files, runner, clock, limits } = this.options;
      try {
        writeStopCause(files, cause);
      } catch (error) {
        this.options.log.warn('cause not written', { turn: this.id, cause: messageOf(error) });
      }
      await endGroup(runner, this.ended, { clock, graceMs: limits.graceMs });
      this.#look();
    }
    return this.ended;
  }

  /** Stops watching; the turn keeps running, unless it is being ended. */
  async stopWatching(): Promise<void> {
    if (this.#stopped !== undefined) await this.ended;
    else if (!this.#over) await this.#finish(null);
  }

  #watch(): void {
    try {
      const { files, attempt } = this.options;
      const telling = [files.stdout, files.stderr, files.exitcode, attemptFile(files, attempt, 'pid')];
      const names = new Set(telling.map((file) => path.basename(file)));
      this.#watcher = fs.watch(files.directory, (_, name) => {
        // Most changes there are our own writes.
        if (name === null || names.has(name)) this.#look();
      });
      this.#watcher.on('error', () => {});
    } catch (error) {
      this.options.log.warn('turn is watched by polling', { turn: this.id, cause: messageOf(error) });
    }
    this.#safety();
  }

  #safety(): void {
    this.#cancelSafety = this.options.clock.after(SAFETY_MS, () => {
      this.#look();
      if (!this.#over) this.#safety();
    });
  }

  #armTimeout(): void {
    const { limits, ageMs, clock } = this.options;
    if (limits.timeoutMs === null) return;
    this.#cancelTimeout = clock.after(limits.timeoutMs - ageMs, () => void this.stop('timeout'));
  }

  /** One look at a time; a request during a look causes one more. */
  #look(): void {
    if (this.#over) return;
    this.#lookAgain = true;
    this.#looking ??= this.#lookUntilQuiet().finally(() => {
      this.#looking = undefined;
    });
  }

  async #lookUntilQuiet(): Promise<void> {
    while (this.#lookAgain && !this.#over) {
      this.#lookAgain = false;
      // Checked before reading, so output written before the end is not missed.
      const exit = this.#hasEnded();
      this.#keepSize();
      const atEnd = await this.#readOutput(exit !== undefined);
      this.#noteTool();
      if (!atEnd) this.#lookAgain = true;
      else if (exit && !this.#over) {
        this.#take(this.options.stream.end());
        await this.#finish(exit);
      }
    }
  }

  /** True at the end of the output, and when it cannot be read. */
  async #readOutput(ended: boolean): Promise<boolean> {
    const { stream, limits, log } = this.options;
    if (ended && this.#reader.offset > limits.outputBytes) return true;
    try {
      return await this.#reader.read((chunk) => this.#take(stream.feed(chunk)));
    } catch (error) {
      log.error('turn output cannot be read', { turn: this.id, cause: messageOf(error) });
      return true;
    }
  }

  #hasEnded(): Exit | undefined {
    const { exit, runner, files } = this.options;
    if (exit !== undefined) return this.#exit;
    if (isProcessAlive(runner)) return undefined;
    return { code: readExitCode(files) ?? null, signal: null };
  }

  #take(events: CanonicalEvent[]): void {
    if (events.length === 0 || this.#over) return;
    this.#write(events.map(renderEvent).join(''));
    this.#resolveEvent(events[0]!);
    for (const event of events) this.events.emit(event);
  }

  /** A full disk must not end the turn, nor hide what it does. */
  #write(lines: string): void {
    if (this.#eventsFile === undefined) return;
    try {
      fs.writeSync(this.#eventsFile, lines);
    } catch (error) {
      if (!this.#unwritable)
        this.options.log.error('turn events cannot be written', { turn: this.id, cause: messageOf(error) });
      this.#unwritable = true;
    }
  }

  #noteTool(): void {
    if (this.#toolPid !== undefined) return;
    this.#toolPid = readToolPid(this.options.files, this.options.attempt);
    if (this.#toolPid !== undefined) this.#resolveTool(this.#toolPid);
  }

  #keepSize(): void {
    const { files, limits } = this.options;
    const sizes = [files.stdout, files.stderr].map(
      (file) => fs.statSync(file, { throwIfNoEntry: false })?.size ?? 0,
    );
    if (sizes[0]! + sizes[1]! > limits.outputBytes) void this.stop('output_limit');
  }

  #endLeftOver(): void {
    const { files, attempt, runner, log } = this.options;
    try {
      endLeftOver(runner, readToolPid(files, attempt));
    } catch (error) {
      log.warn('processes that the turn left running were not ended', {
        turn: this.id,
        cause: messageOf(error),
      });
    }
  }

  async #finish(exit: Exit | null): Promise<void> {
    this.#over = true;
    this.#watcher?.close();
    this.#cancelSafety?.();
    this.#cancelTimeout?.();
    if (this.#eventsFile !== undefined) fs.closeSync(this.#eventsFile);
    await this.#reader.close();
    const { files, attempt, stream, clock } = this.options;
    if (exit && exit.code === null) this.#endLeftOver();
    const toolRan = attemptState(files, attempt) === 'started';
    const durationMs = Math.round(clock.monotonic() - this.#from);
    this.#resolveEnd(exit && endTurn({ files, exit, stopped: this.#stopped, toolRan, stream, durationMs }));
    this.#resolveTool(null);
    this.#resolveEvent(null);
  }
}
