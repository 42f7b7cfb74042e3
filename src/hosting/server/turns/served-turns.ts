import {
  type Clock,
  crashPoint,
  Emitter,
  type Log,
  messageOf,
  notFound,
  utcStamp,
} from '../../../base/index.ts';
import { newTurnId, reasonTexts } from '../../../domain/index.ts';
import type { ManifestFacts } from '../../../session/index.ts';
import type { AgentSurface, DeliveryResult } from '../../../terminal/index.ts';
import { refusal, type TurnBody, type TurnStatus } from '../../../wire/index.ts';
import { concludeTurn, judgeLeftTurn, requireSameTurn, STATUS_OF } from './turn-rules.ts';
import { type TurnRecord, TurnStore } from './turn-store.ts';

export interface ServedTurnsOptions {
  trackedId: string;
  facts: ManifestFacts;
  surface: AgentSurface;
  clock: Clock;
  log: Log;
}

export interface NewTurn extends Pick<TurnBody, 'prompt' | 'chat_session' | 'execution'> {
  turnId?: string | null | undefined;
  requestId?: string | null | undefined;
  /** Requested through a gateway's direct control. */
  direct?: boolean;
}

/**
 * The turns of a headless agent that this server runs: accepted durably, one at a time, each with its stages. A turn
 * outlives the server; the next server takes it over and finds out how it ended. None runs twice.
 */
export class ServedTurns {
  readonly changed = new Emitter<TurnRecord>();
  readonly #options: ServedTurnsOptions;
  readonly #store: TurnStore;
  #running: Promise<void> = Promise.resolve();
  readonly #closing = new AbortController();

  constructor(options: ServedTurnsOptions) {
    this.#options = options;
    this.#store = new TurnStore(options.facts.root, (file, cause) =>
      options.log.warn('a turn cannot be read and is skipped', { file, cause }),
    );
  }

  get surface(): AgentSurface {
    return this.#options.surface;
  }

  get active(): TurnRecord | undefined {
    return this.#store.all().find((turn) => turn.status === 'active');
  }

  all(): TurnRecord[] {
    return this.#store.all();
  }

  get(turnId: string): TurnRecord {
    const turn = this.#store.get(turnId);
    if (turn) return turn;
    throw notFound(`agent ${this.#options.facts.agentName} has no turn "${turnId.slice(0, 100)}"`, {
      facts: { cause: 'unknown_turn' },
    });
  }

  /** Opens the agent's surface and resumes what an earlier server left. */
  async start(): Promise<void> {
    await this.#options.surface.start();
    const left = this.active;
    if (left) this.#running = this.#attend(left, () => this.#recover(left));
  }

  /** A running turn continues and is taken over by the next server. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#options.surface.close();
    await this.#running;
  }

  /** Durable when it returns; it runs from then on. The same id and prompt again is the same turn. */
  accept(wanted: NewTurn): { turn: TurnRecord; duplicate: boolean } {
    const known = wanted.turnId ? this.#store.get(wanted.turnId) : undefined;
    if (known) {
      requireSameTurn(known, wanted);
      if (known.status !== 'failed' || !known.untouched) return { turn: known, duplicate: true };
    }
    this.#refuseClosed(wanted);
    const turn = this.#newTurn(wanted, known);
    this.#save(turn);
    crashPoint('fleet.turn.accepted');
    this.#running = this.#attend(turn, () => this.#run(turn));
    return { turn, duplicate: false };
  }

  /** Ends the running turn; undefined if there is none. */
  async interrupt(requestId: string): Promise<TurnRecord | undefined> {
    const turn = this.active;
    if (!turn) return undefined;
    turn.interrupt_requested = true;
    this.#save(turn);
    await this.#options.surface.interrupt(requestId);
    return turn;
  }

  #refuseClosed({ chat_session: chat }: NewTurn): void {
    const { surface } = this.#options;
    const { connectivity, unavailableReason } = surface.observation();
    if (this.#closing.signal.aborted || connectivity !== 'connected') {
      throw refusal(
        'unavailable',
        `the agent is not available: ${unavailableReason ?? 'the server is stopping'}`,
      );
    }
    const active = this.active?.turn_id ?? surface.headless?.state().active_turn_id;
    if (active) {
      throw refusal('not_ready', `a headless agent runs one turn at a time, and "${active}" is running`, {
        facts: { active_turn_id: active },
      });
    }
    if (chat?.mode === 'current' && !surface.headless?.state().chat_session.current)
      throw refusal('missing_current_chat_session', 'there is no current chat session');
  }

  #newTurn(wanted: NewTurn, before: TurnRecord | undefined): TurnRecord {
    const turnId = wanted.turnId ?? newTurnId();
    return {
      schema_version: 1,
      turn_id: turnId,
      turn_index: before?.turn_index ?? this.#store.nextIndex,
      request_id: wanted.requestId ?? `turn:${turnId}`,
      tracked_agent_id: this.#options.trackedId,
      status: 'active',
      accepted_at_utc: this.#now(),
      finished_at_utc: null,
      reasons: [],
      untouched: false,
      stages: [],
      revision: before?.revision ?? 0,
      prompt: wanted.prompt,
      chat_session: wanted.chat_session,
      execution: wanted.execution,
      direct: wanted.direct ?? false,
      returns: 0,
      interrupt_requested: false,
    };
  }

  async #attend(turn: TurnRecord, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.#options.log.error('a turn could not be watched', { turn: turn.turn_id, cause: messageOf(error) });
      if (!this.#closing.signal.aborted) this.#finish(turn, 'unknown', [messageOf(error)]);
    }
  }

  async #run(turn: TurnRecord): Promise<void> {
    const chat = turn.chat_session;
    const result = await this.#options.surface.deliver({
      requestId: turn.request_id,
      text: turn.prompt,
      turnId: turn.turn_id,
      policy: 'ready_only',
      direct: turn.direct,
      ...(chat && { chatSession: { mode: chat.mode, ...(chat.id != null && { id: chat.id }) } }),
      ...(turn.execution && { execution: turn.execution as never }),
      record: async (stage, { source, atUtc, facts }) => {
        turn.stages.push({ stage, source, at_utc: atUtc, facts });
        this.#save(turn);
      },
    });
    this.#settle(turn, result);
  }

  #settle(turn: TurnRecord, { outcome, reasons, untouched }: DeliveryResult): void {
    // The server lets go of a turn that continues; the next server finishes this record.
    if (this.#closing.signal.aborted && turn.stages.every(({ stage }) => stage !== 'turn_finished')) return;
    turn.untouched = untouched;
    this.#finish(turn, STATUS_OF[outcome], reasonTexts(reasons));
  }

  /** Handles a turn that an earlier server left: runs it if nothing of it was run, otherwise watches it to its end. */
  async #recover(turn: TurnRecord): Promise<void> {
    const left = await judgeLeftTurn(turn, this.#options.surface);
    if (left.next === 'over') {
      turn.untouched = left.untouched;
      return this.#finish(turn, left.status, left.reasons);
    }
    if (left.next === 'run') {
      turn.returns++;
      turn.stages = [];
      this.#save(turn);
      return this.#run(turn);
    }
    await this.#ended(turn);
    if (this.#closing.signal.aborted) return;
    const { status, reasons } = concludeTurn(this.#options.facts, turn);
    this.#finish(turn, status, reasons);
  }

  /** Resolves when the surface no longer runs it. */
  async #ended({ turn_id }: TurnRecord): Promise<void> {
    const { surface } = this.#options;
    const runs = (): boolean =>
      surface.headless?.state().active_turn_id === turn_id && !this.#closing.signal.aborted;
    while (runs()) await surface.changed.next(() => true, this.#closing.signal).catch(() => undefined);
  }

  #finish(turn: TurnRecord, status: TurnStatus, reasons: string[]): void {
    turn.status = status;
    turn.reasons = reasons;
    turn.finished_at_utc = this.#now();
    this.#save(turn);
  }

  #save(turn: TurnRecord): void {
    this.#store.save(turn);
    this.changed.emit(turn);
  }

  #now(): string {
    return utcStamp(this.#options.clock.now());
  }
}
