import * as fs from 'node:fs';
import * as path from 'node:path';
import {
  type Clock,
  Emitter,
  ensurePrivateDirectory,
  type FileLock,
  isProcessAlive,
  type Log,
  lockFile,
  messageOf,
  type ProcessIdentity,
  tryLockFile,
} from '../../base/index.ts';
import { reason, type Why } from '../../domain/index.ts';
import type {
  DeliveryResult,
  HeadlessState,
  Hold,
  InterruptedDelivery,
  PromptDelivery,
  Recovered,
} from '../port.ts';
import { EventStream } from './events/event-stream.ts';
import type { HeadlessProgress } from './headless-manifest.ts';
import { findRunner, runningTurnId } from './runner/find-runner.ts';
import { showEvents, type VisibleLog } from './runner/visible-log.ts';
import { buildTurn, chooseChat, type TurnTool } from './turn/build-turn.ts';
import { recoverTurn } from './turn/recover-turn.ts';
import { deliverTurn } from './turn/run-turn.ts';
import { RunningTurn } from './turn/running-turn.ts';
import {
  type Judged,
  progressAfter,
  type StopCause,
  settleTurn,
  type TurnEnd,
  type TurnLimits,
} from './turn/settle-turn.ts';
import {
  attemptState,
  type CurrentTurn,
  highestTurn,
  isUsed,
  readCurrentTurn,
  readProcess,
  turnFiles,
  turnIdProblem,
} from './turn/turn-files.ts';

interface TurnsOptions {
  root: string;
  laneLock: string;
  tool: TurnTool;
  cwd: string;
  env: NodeJS.ProcessEnv;
  startup: HeadlessState['chat_session']['startup_default'];
  progress: HeadlessProgress;
  /** Reads the manifest again: another process may have run turns since. */
  reload?: (() => HeadlessProgress) | undefined;
  /** Must be durable before it resolves. */
  save: (progress: HeadlessProgress) => Promise<void>;
  limits: TurnLimits;
  keepTurns: number;
  visible: VisibleLog;
  clock: Clock;
  log: Log;
  /** A person's pause of the agent. */
  hold?: Hold | undefined;
}

const LOCK_MS = 2000;

/** The turns of one session: one at a time, each with its files. They survive the gateway. */
export class HeadlessTurns {
  /** A turn began or ended. */
  readonly changed = new Emitter<void>();
  /** A turn has ended, and how. */
  readonly ended = new Emitter<TurnEnd>();
  readonly #options: TurnsOptions;
  #progress: HeadlessProgress;
  #override = false;
  #activeId: string | null = null;
  #turn: RunningTurn | undefined;
  #cancel: AbortController | undefined;
  /** Resolves when the adopted turn is settled. */
  #adopted: Promise<void> = Promise.resolve();

  constructor(options: TurnsOptions) {
    this.#options = options;
    this.#progress = options.progress;
  }

  get activeId(): string | null {
    return this.#activeId;
  }

  chat(): HeadlessState['chat_session'] {
    const { sessionId } = this.#progress;
    return {
      current: sessionId === null ? null : { id: sessionId },
      startup_default: this.#options.startup,
      next_prompt_override: this.#override ? { mode: 'new' } : null,
    };
  }

  nextChatIsNew(): void {
    this.#override = true;
  }

  /**
   * Adopts a turn that an earlier gateway left running, and the result of one that has ended. A turn of another process,
   * which holds the lane, is only watched until it ends.
   */
  async start(): Promise<void> {
    const { root } = this.#options;
    ensurePrivateDirectory(root);
    await this.#adopt();
  }

  async #adopt(): Promise<void> {
    const { log, laneLock } = this.#options;
    let left: { current: CurrentTurn; runner: ProcessIdentity } | undefined;
    try {
      left = this.#leftTurn();
    } catch (error) {
      // The next prompt adopts it: no turn begins until this process is known to have ended.
      log.warn('it is unknown whether the last turn is running', { cause: messageOf(error) });
    }
    if (left) await this.#watchLeft(left.current, left.runner, tryLockFile(laneLock));
  }

  /** The last turn, if it was started and is not settled. Throws if that cannot be determined. */
  #leftTurn(): { current: CurrentTurn; runner: ProcessIdentity } | undefined {
    const { root, log } = this.#options;
    const current = readCurrentTurn(root);
    if (current === 'unreadable')
      log.warn('the last turn cannot be read', { file: path.join(root, 'current.json') });
    if (current === undefined || current === 'unreadable' || current.settled) return undefined;
    const files = turnFiles(root, current.turn_id);
    if (attemptState(files, current.attempt) !== 'started') return undefined;
    return { current, runner: findRunner(files, current.attempt) };
  }

  async deliver(prompt: PromptDelivery): Promise<DeliveryResult> {
    if (this.#activeId !== null) return busy(this.#activeId);
    const problem = prompt.turnId === undefined ? undefined : turnIdProblem(prompt.turnId);
    if (problem) return refusal('refused', problem);
    const result = await this.#alone(prompt.turnId ?? this.#nextId(), (signal) => this.#run(prompt, signal));
    // Watch the turn of another process, so that its end is noticed.
    if (result.outcome === 'not_ready' && this.#activeId === null) await this.#adopt();
    return result;
  }

  /** Runs while the lane is held, so this choice is still right when the turn begins. */
  async #run(prompt: PromptDelivery, signal: AbortSignal): Promise<DeliveryResult> {
    const { tool, cwd, root } = this.#options;
    this.#catchUp();
    const chosen = chooseChat(prompt.chatSession, this.chat(), prompt.direct === true);
    if ('refused' in chosen) return refusal('refused', chosen.refused);
    const id = prompt.turnId ?? this.#nextId();
    const files = turnFiles(root, id);
    if (isUsed(files)) return refusal('refused', `turn_id "${id}" was used before`);
    const built = buildTurn(tool, {
      chat: chosen.chat,
      prompt: prompt.text,
      roleIsNew: chosen.chat.kind === 'create' || !this.#progress.roleBootstrapApplied,
      model: prompt.execution?.model,
    });
    if ('refused' in built) return refusal('refused', built.refused);
    if (!fs.statSync(cwd, { throwIfNoEntry: false })?.isDirectory())
      return refusal('failed', `the working directory ${cwd} does not exist`);
    this.#activeId = id;
    return deliverTurn(
      { prompt, files, built, chat: chosen.chat, index: this.#progress.turnIndex + 1, signal },
      {
        ...this.#options,
        newStream: (index) => this.#stream(index),
        began: (turn) => {
          if (chosen.takesOverride) this.#override = false;
          this.#begin(turn, this.#options.visible);
        },
        settle: (current, end) => this.#settle(current, end),
      },
    );
  }

  /** Progress that could not be saved is newer than the manifest, so it wins. */
  #catchUp(): void {
    const saved = this.#options.reload?.();
    if (saved && saved.turnIndex >= this.#progress.turnIndex) this.#progress = saved;
  }

  /** Ends the running turn; undefined when there is none. */
  async interrupt(cause: StopCause): Promise<{ turnId: string; end: TurnEnd | null } | undefined> {
    const turnId = this.#activeId;
    if (turnId === null) return undefined;
    if (this.#turn) return { turnId, end: await this.#turn.stop(cause) };
    this.#cancel?.abort();
    return { turnId, end: null };
  }

  /** A turn of an earlier gateway that has just begun is adopted, as at the start. */
  async recover(interrupted: InterruptedDelivery): Promise<Recovered> {
    const recovered = await recoverTurn(this.#options.root, interrupted, this.#options.clock);
    if (recovered.verdict !== 'not_submitted' && this.#activeId === null) await this.#adopt();
    return recovered;
  }

  /** Stops watching; a running turn continues, and the next gateway adopts it. */
  async stopWatching(): Promise<void> {
    if (this.#turn) await this.#turn.stopWatching();
    else this.#cancel?.abort();
    await this.#adopted;
  }

  /** One turn at a time in this process, and one lane for all processes. */
  async #alone(id: string, work: (signal: AbortSignal) => Promise<DeliveryResult>): Promise<DeliveryResult> {
    const { laneLock, clock, root } = this.#options;
    this.#activeId = id;
    this.#cancel = new AbortController();
    let lock: FileLock | undefined;
    try {
      lock = await lockFile(laneLock, { timeoutMs: LOCK_MS, clock });
      const taken = otherTurn(root);
      if (taken !== undefined) return taken;
      return await work(this.#cancel.signal);
    } catch (error) {
      if (lock) throw error;
      return refusal('not_ready', `another process holds the lane: ${messageOf(error)}`);
    } finally {
      lock?.release();
      this.#end();
    }
  }

  async #watchLeft(current: CurrentTurn, runner: ProcessIdentity, lock: FileLock | undefined): Promise<void> {
    const { root, limits, clock, log } = this.#options;
    const files = turnFiles(root, current.turn_id);
    const since = Date.parse(readProcess(files)?.launched_at_utc ?? current.prepared_at_utc);
    const turn = new RunningTurn({
      files,
      attempt: current.attempt,
      runner,
      ageMs: Math.max(0, clock.now().getTime() - since),
      stream: this.#stream(current.turn_index),
      keepsEvents: lock !== undefined,
      limits,
      clock,
      log,
    });
    this.#activeId = current.turn_id;
    this.#begin(turn, lock ? this.#options.visible : undefined);
    const alive = isProcessAlive(runner);
    log.info(alive ? 'turn adopted' : 'turn ended without a gateway', { turn: current.turn_id });
    const over = turn.ended
      .then(async (end) => {
        if (!end) return;
        if (lock) await this.#settle(current, end);
        else await this.#settleUnlessDone(current, end);
      })
      .catch((error: unknown) => log.error('turn could not be settled', { cause: messageOf(error) }))
      .finally(() => {
        lock?.release();
        this.#end();
      });
    this.#adopted = over;
    if (!alive) await over;
  }

  /** The process that runs a turn settles it; we do so only if that process was killed. */
  async #settleUnlessDone(current: CurrentTurn, end: TurnEnd): Promise<void> {
    const { laneLock, clock, root } = this.#options;
    const lock = await lockFile(laneLock, { timeoutMs: LOCK_MS, clock }).catch(() => undefined);
    try {
      const now = readCurrentTurn(root);
      const left =
        lock && typeof now === 'object' && now.attempt === current.attempt && now.settled === false;
      if (left) await this.#settle(current, end);
      else this.#catchUp();
    } finally {
      lock?.release();
    }
  }

  #begin(turn: RunningTurn, visible: VisibleLog | undefined): void {
    this.#turn = turn;
    if (visible) showEvents(turn, visible);
    this.changed.emit();
  }

  #end(): void {
    this.#activeId = null;
    this.#turn = undefined;
    this.#cancel = undefined;
    this.changed.emit();
  }

  async #settle(current: CurrentTurn, end: TurnEnd): Promise<Judged> {
    const before = this.#progress;
    this.#progress = progressAfter(before, end, {
      index: current.turn_index,
      carriesRole: current.carries_role,
    });
    const judged = await settleTurn(
      { current, end, progress: this.#progress === before ? null : this.#progress },
      this.#options,
    );
    this.ended.emit(end);
    return judged;
  }

  #stream(turnIndex: number): EventStream {
    return new EventStream({ habits: this.#options.tool.habits, turnIndex, clock: this.#options.clock });
  }

  #nextId(): string {
    const last = Math.max(this.#progress.turnIndex, highestTurn(this.#options.root));
    return `turn-${String(last + 1).padStart(4, '0')}`;
  }
}

function busy(turnId: string): DeliveryResult {
  return refusal('not_ready', reason('headless_turn', turnId));
}

/** Refused while another turn runs, or may be running. */
function otherTurn(root: string): DeliveryResult | undefined {
  try {
    const other = runningTurnId(root);
    return other === undefined ? undefined : busy(other);
  } catch (error) {
    return refusal('not_ready', `it is unknown whether a turn is running: ${messageOf(error)}`);
  }
}

function refusal(outcome: 'refused' | 'not_ready' | 'failed', why: Why): DeliveryResult {
  return { outcome, reasons: [why], evidence: [], untouched: true };
}
