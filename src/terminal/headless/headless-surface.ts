import { type Clock, Emitter, type Log, messageOf, utcStamp } from '../../base/index.ts';
import { reason } from '../../domain/index.ts';
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
import type { SessionPresence } from './session-presence.ts';

export interface HeadlessSurfaceParts {
  presence: SessionPresence;
  turns: HeadlessTurns;
  instanceId: string;
  /** The tool's name, and where its program is now; undefined when it cannot be found. */
  tool: string;
  findProgram: () => string | undefined;
  clock: Clock;
  log: Log;
}

/** A missing program may be installed at any time, and no event reports it. */
const LOOK_AGAIN_MS = 10_000;

/** An agent without a screen: one process per turn, ready whenever none runs. */
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
  #closed = false;

  constructor(parts: HeadlessSurfaceParts) {
    this.#parts = parts;
    this.#observation = this.#observe();
    parts.turns.changed.on(() => this.#emitIfChanged());
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
    await this.#parts.turns.stopWatching();
    await this.#parts.presence.close();
  }

  async deliver(prompt: PromptDelivery): Promise<DeliveryResult> {
    if (this.#closed) return untouched('cancelled', 'the surface is closing');
    this.#lookForProgram();
    const { connectivity, unavailableReason } = this.#observation;
    if (connectivity !== 'connected') return untouched('not_ready', unavailableReason ?? 'unavailable');
    return this.#parts.turns.deliver(prompt);
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
    this.changed.emit(this.#observation);
  }

  #observe(): Observation {
    const { presence, turns, instanceId, clock } = this.#parts;
    const why = this.#unavailableReason();
    const busy = turns.activeId !== null;
    const ready = why === null && !busy;
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
      ],
      busy,
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
