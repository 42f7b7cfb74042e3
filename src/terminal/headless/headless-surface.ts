import { type Clock, Emitter, type Log, messageOf, utcStamp } from '../../base/index.ts';
import { type ParkPolicy, reason, reasonText } from '../../domain/index.ts';
import { NO_TURN } from '../../screen/index.ts';
import type { Parking } from '../limits/parking.ts';
import type {
  AgentSurface,
  DeliveryResult,
  HeadlessState,
  HeadlessView,
  InterruptedDelivery,
  KeyDelivery,
  Observation,
  PromptDelivery,
  Recovered,
} from '../port.ts';
import type { HeadlessTurns } from './headless-turns.ts';
import { limitOfTurn } from './limit-of-turn.ts';
import type { SessionPresence } from './session-presence.ts';
import type { TurnEnd } from './turn/settle-turn.ts';

export interface HeadlessSurfaceParts {
  presence: SessionPresence;
  turns: HeadlessTurns;
  parking: Parking;
  instanceId: string;
  /** The tool's name, and where its program is now; undefined when it cannot be found. */
  tool: string;
  findProgram: () => string | undefined;
  clock: Clock;
  log: Log;
}

/** A missing program may be installed at any time, and no event reports it. */
const LOOK_AGAIN_MS = 10_000;

/** An agent without a screen: one process per turn, ready whenever none runs and no usage limit holds it. */
export class HeadlessSurface implements AgentSurface {
  readonly kind = 'headless' as const;
  readonly changed = new Emitter<Observation>();
  readonly headless: HeadlessView = {
    state: () => this.#state(),
    setNextPromptSession: () => {
      this.#parts.turns.nextChatIsNew();
      return this.#state();
    },
  };
  readonly #parts: HeadlessSurfaceParts;
  #observation: Observation;
  #program: string | undefined;
  #cancelLook: (() => void) | undefined;
  #cancelLimit: (() => void) | undefined;
  #lastTurn = NO_TURN.lastTurn;
  #closed = false;

  constructor(parts: HeadlessSurfaceParts) {
    this.#parts = parts;
    this.#observation = this.#observe();
    parts.turns.changed.on(() => this.#turnsChanged());
    parts.turns.ended.on((end) => this.#turnEnded(end));
    parts.presence.lost.on((reason) => void this.#sessionLost(reason));
  }

  observation(): Observation {
    return this.#observation;
  }

  async start(): Promise<void> {
    await this.#parts.presence.start();
    this.#lookForProgram();
    await this.#parts.turns.start();
    this.#emitIfChanged();
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#cancelLook?.();
    this.#cancelLimit?.();
    await this.#parts.turns.stopWatching();
    await this.#parts.presence.close();
  }

  async deliver(prompt: PromptDelivery): Promise<DeliveryResult> {
    if (this.#closed) return untouched('cancelled', 'the surface is closing');
    this.#lookForProgram();
    const { connectivity, unavailableReason } = this.#observation;
    if (connectivity !== 'connected') return untouched('not_ready', unavailableReason ?? 'unavailable');
    const { hold } = this.#parts.parking;
    if (hold && prompt.policy === 'ready_only') return untouched('not_ready', reasonText(hold));
    return this.#parts.turns.deliver(prompt);
  }

  parkBy = (policy: () => ParkPolicy): void => {
    this.#parts.parking.follow(policy);
    this.#emitIfChanged();
  };

  /** A limit is known from the end of a turn; a turn that runs after it is a try. */
  #turnsChanged(): void {
    const { turns, parking } = this.#parts;
    if (turns.activeId !== null)
      parking.look({
        seen: undefined,
        turn: { phase: 'active', lastTurn: this.#lastTurn },
        readable: true,
      });
    this.#emitIfChanged();
  }

  #turnEnded(end: TurnEnd): void {
    const { clock, parking } = this.#parts;
    const seen = limitOfTurn(end);
    const result = end.exitCode === 0 ? 'success' : 'known_failure';
    this.#lastTurn = { result, source: 'explicit_input', updated_at_utc: utcStamp(clock.now()) };
    const isSuccess = result === 'success';
    if (seen || isSuccess)
      parking.look({ seen, turn: { phase: 'ready', lastTurn: this.#lastTurn }, readable: true });
    this.#emitIfChanged();
  }

  /** At the end of a usage limit nothing else happens. */
  #armLimit(): void {
    this.#cancelLimit?.();
    this.#cancelLimit = undefined;
    const { clock, parking } = this.#parts;
    const ms = parking.nextMs;
    if (ms !== undefined && !this.#closed)
      this.#cancelLimit = clock.after(ms + 1, () => this.#emitIfChanged());
  }

  async sendKeys(_keys: KeyDelivery): Promise<DeliveryResult> {
    return untouched('refused', 'a headless agent has no terminal to type keys into');
  }

  async interrupt(requestId: string): Promise<DeliveryResult> {
    const ended = await this.#parts.turns.interrupt('interrupted');
    if (!ended) return untouched('refused', 'there is nothing to interrupt: no turn is running');
    const facts = { request_id: requestId, turn_id: ended.turnId, exit_code: ended.end?.exitCode ?? null };
    const evidence = { source: 'process', atUtc: utcStamp(this.#parts.clock.now()), facts };
    return { outcome: 'submitted', reasons: [], evidence: [evidence], untouched: false };
  }

  recover(interrupted: InterruptedDelivery): Promise<Recovered> {
    return this.#parts.turns.recover(interrupted);
  }

  /** A turn is part of the agent: when the session is ended, so is the turn. */
  async #sessionLost(reason: string): Promise<void> {
    this.#parts.log.warn('session lost', { reason });
    this.#emitIfChanged();
    await this.#parts.turns.interrupt('session_lost').catch((error: unknown) => {
      this.#parts.log.error('turn of a lost session could not be ended', { cause: messageOf(error) });
    });
  }

  #lookForProgram(): void {
    this.#cancelLook?.();
    const before = this.#program;
    this.#program = this.#parts.findProgram();
    if (this.#program === undefined && !this.#closed)
      this.#cancelLook = this.#parts.clock.after(LOOK_AGAIN_MS, () => this.#lookForProgram());
    if (before !== this.#program) this.#emitIfChanged();
  }

  #emitIfChanged(): void {
    this.#observation = this.#observe();
    this.#armLimit();
    this.changed.emit(this.#observation);
  }

  /** A limit was noted, or its time among those of the account was taken. */
  limitChanged(): void {
    if (!this.#closed) this.#emitIfChanged();
  }

  #observe(): Observation {
    const { presence, turns, parking, instanceId, clock } = this.#parts;
    const why = this.#unavailableReason();
    const busy = turns.activeId !== null;
    const { hold, view: limit } = parking;
    const ready = why === null && !busy && hold === null;
    return {
      observedAtUtc: utcStamp(clock.now()),
      connectivity: why === null ? 'connected' : 'unavailable',
      unavailableReason: why,
      sessionLost: presence.isLost,
      instanceId,
      eligibility: ready ? 'ready' : 'not_ready',
      ready,
      reasons: [
        ...(why === null ? [] : [reason('unavailable', 'unavailable')]),
        ...(busy ? [reason('headless_turn', turns.activeId!)] : []),
        ...(hold ? [hold] : []),
      ],
      busy,
      ...(limit && { limit }),
    };
  }

  #unavailableReason(): string | null {
    const { presence, tool } = this.#parts;
    if (!presence.live) return 'its tmux session is gone';
    return this.#program === undefined ? `"${tool}" is not installed, or not on PATH` : null;
  }

  #state(): HeadlessState {
    const { presence, turns } = this.#parts;
    const { ready } = this.#observation;
    return {
      runtime_resumable: this.#program !== undefined,
      tmux_session_live: presence.live,
      can_accept_prompt_now: ready,
      interruptible: turns.activeId !== null,
      chat_session: turns.chat(),
      active_turn_id: turns.activeId,
    };
  }
}

function untouched(outcome: 'not_ready' | 'refused' | 'cancelled', reason: string): DeliveryResult {
  return { outcome, reasons: [reason], evidence: [], untouched: true };
}
