import { type Clock, Emitter, Loop, messageOf, sleep, utcStamp } from '../../base/index.ts';
import { readReason, reason, type Why } from '../../domain/index.ts';
import type {
  AgentSurface,
  DeliveryResult,
  HeadlessState,
  HeadlessView,
  Hold,
  InterruptedDelivery,
  Observation,
  PromptDelivery,
  Recovered,
  SessionPresence,
} from '../../terminal/index.ts';
import type { TurnView } from '../../wire/index.ts';
import { deliverByServer } from './served-turn.ts';
import type { ServerAuthority, ServerState } from './server-authority.ts';

export interface ServedSurfaceParts {
  authority: ServerAuthority;
  presence: SessionPresence;
  clock: Clock;
  /** A person's pause of the agent. */
  hold?: Hold | undefined;
}

const BACKOFF = { firstMs: 200, maxMs: 5000 };
/** How often a starting gateway asks how a request ended before it reports that it does not know. */
const RECOVERY_TRIES = 20;
const RECOVERY_PAUSE_MS = 250;

const NOT_SEEN: HeadlessState = {
  runtime_resumable: false,
  tmux_session_live: false,
  can_accept_prompt_now: false,
  interruptible: false,
  chat_session: {
    current: null,
    startup_default: { mode: 'new', id: null },
    next_prompt_override: null,
  },
  active_turn_id: null,
};

/** A headless agent whose turns its server runs: shows what the server reports and sends prompts to it. */
export class ServedSurface implements AgentSurface {
  readonly kind = 'headless' as const;
  readonly changed = new Emitter<Observation>();
  readonly headless: HeadlessView = {
    state: () => this.#headless(),
    setNextPromptSession: () => {
      this.#nextChatIsNew = true;
      return this.#headless();
    },
  };
  readonly #parts: ServedSurfaceParts;
  readonly #closing = new AbortController();
  readonly #watch: Loop;
  #seen: ServerState | undefined;
  #away: string | undefined = 'its server has not answered yet';
  #nextChatIsNew = false;

  constructor(parts: ServedSurfaceParts) {
    this.#parts = parts;
    this.#watch = new Loop({
      name: 'server',
      clock: parts.clock,
      pass: (signal) => this.#look(signal),
      onTrouble: (trouble) => trouble && this.#lost(trouble.message),
      backoff: BACKOFF,
    });
    parts.presence.lost.on(() => this.#emit());
  }

  observation(): Observation {
    const { clock, presence, authority } = this.#parts;
    const seen = this.#seen?.observation;
    if (seen && this.#away === undefined && !presence.isLost)
      return { ...seen, reasons: seen.reasons.map(readReason) };
    const why = presence.isLost
      ? 'its tmux session is gone'
      : `the server at ${authority.baseUrl} is away: ${this.#away}`;
    return {
      observedAtUtc: utcStamp(clock.now()),
      connectivity: 'unavailable',
      unavailableReason: why,
      sessionLost: presence.isLost,
      instanceId: seen?.instanceId ?? null,
      eligibility: 'not_ready',
      ready: false,
      reasons: [reason('unavailable', 'unavailable')],
      busy: seen?.busy ?? false,
    };
  }

  async start(): Promise<void> {
    await this.#parts.presence.start();
    await this.#look(this.#closing.signal).catch((error: unknown) => this.#lost(messageOf(error)));
    this.#watch.start();
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#watch.stop();
    await this.#parts.presence.close();
  }

  async deliver(prompt: PromptDelivery): Promise<DeliveryResult> {
    const { ready, reasons } = this.observation();
    if (!ready) return untouched('not_ready', ...reasons);
    const takesOverride =
      this.#nextChatIsNew && prompt.direct === true && (prompt.chatSession?.mode ?? 'auto') === 'auto';
    if (takesOverride) this.#nextChatIsNew = false;
    const asked: PromptDelivery = takesOverride ? { ...prompt, chatSession: { mode: 'new' } } : prompt;
    const result = await deliverByServer(asked, { ...this.#parts, closing: this.#closing.signal });
    if (takesOverride && result.untouched) this.#nextChatIsNew = true;
    return result;
  }

  async sendKeys(): Promise<DeliveryResult> {
    return untouched('refused', 'a headless agent has no terminal to type keys into');
  }

  async interrupt(requestId: string): Promise<DeliveryResult> {
    try {
      if (!(await this.#parts.authority.interrupt()))
        return untouched('refused', 'there is nothing to interrupt: no turn is running');
    } catch (error) {
      return { outcome: 'failed', reasons: [messageOf(error)], evidence: [], untouched: false };
    }
    const atUtc = utcStamp(this.#parts.clock.now());
    const evidence = [{ source: 'server', atUtc, facts: { request_id: requestId } }];
    return { outcome: 'submitted', reasons: [], evidence, untouched: false };
  }

  async recover({ requestId }: InterruptedDelivery): Promise<Recovered> {
    const answer = (verdict: Recovered['verdict'], facts: Record<string, unknown>): Recovered => ({
      verdict,
      evidence: [{ source: 'server', atUtc: utcStamp(this.#parts.clock.now()), facts }],
    });
    const turn = await this.#turnOf(requestId);
    if (turn === 'away') return answer('unknown', { found: 'the server does not answer' });
    // A request that was still under way when the previous gateway died has the same id as the next one.
    if (turn === undefined) return answer('not_submitted', { found: 'the server has no such turn' });
    const facts = {
      turn_id: turn.turn_id,
      status: turn.status,
      stages: turn.stages.map(({ stage }) => stage),
    };
    if (turn.untouched) return answer('not_submitted', facts);
    return answer(turn.status === 'unknown' ? 'unknown' : 'submitted', facts);
  }

  async #turnOf(requestId: string): Promise<TurnView | undefined | 'away'> {
    for (let tries = 0; tries < RECOVERY_TRIES && !this.#closing.signal.aborted; tries++) {
      try {
        return await this.#parts.authority.turnOfRequest(requestId, this.#closing.signal);
      } catch {
        await sleep(this.#parts.clock, RECOVERY_PAUSE_MS, this.#closing.signal);
      }
    }
    return 'away';
  }

  /** Asks the server for the state; it responds when something has changed. */
  async #look(signal: AbortSignal): Promise<number> {
    const known = this.#away === undefined ? this.#seen?.seen : undefined;
    const state = await this.#parts.authority.state(known, signal);
    if (signal.aborted) return 0;
    const same = known === state.seen;
    this.#seen = state;
    this.#away = undefined;
    if (!same) this.#emit();
    return 0;
  }

  #lost(why: string): void {
    this.#away = why;
    if (!this.#closing.signal.aborted) this.#emit();
  }

  #emit(): void {
    this.changed.emit(this.observation());
  }

  #headless(): HeadlessState {
    const state = this.#seen?.headless ?? NOT_SEEN;
    const override = this.#nextChatIsNew ? ({ mode: 'new' } as const) : null;
    return {
      ...state,
      can_accept_prompt_now: state.can_accept_prompt_now && this.observation().ready,
      chat_session: { ...state.chat_session, next_prompt_override: override },
    };
  }
}

function untouched(outcome: 'not_ready' | 'refused', ...reasons: Why[]): DeliveryResult {
  return { outcome, reasons, evidence: [], untouched: true };
}
