import { type Clock, errnoOf, isRouseError, messageOf, sha256, sleep, utcStamp } from '../../base/index.ts';
import {
  type DeliveryOutcome,
  type DeliveryResult,
  type Evidence,
  HeldBack,
  type Hold,
  type PromptDelivery,
  type Stage,
} from '../../terminal/index.ts';
import type { TurnStatus, TurnView } from '../../wire/index.ts';
import type { ServerAuthority } from './server-authority.ts';

const PAUSES_MS = [200, 500, 1000, 2000, 5000];

const OUTCOME_OF: Readonly<Record<Exclude<TurnStatus, 'active'>, DeliveryOutcome>> = {
  completed: 'submitted',
  failed: 'failed',
  interrupted: 'cancelled',
  unknown: 'unconfirmed',
};

/** One request is one turn, also after this gateway was killed: for the same id the server returns the same turn. */
export function turnIdOf(requestId: string): string {
  return `turn-${sha256(requestId).slice(0, 12)}`;
}

interface TurnHost {
  authority: ServerAuthority;
  clock: Clock;
  closing: AbortSignal;
  hold?: Hold | undefined;
}

/** Runs one prompt at the server that runs this agent's turns, from the last check to the end of the turn. */
export async function deliverByServer(prompt: PromptDelivery, host: TurnHost): Promise<DeliveryResult> {
  const again = await prompt.recheck?.();
  if (again && !again.go) return refused('superseded', again.reason);
  if (prompt.signal?.aborted) return refused('cancelled', 'interrupted before it began');
  return new ServedTurn(prompt, host).deliver();
}

class ServedTurn {
  readonly #prompt: PromptDelivery;
  readonly #host: TurnHost;
  readonly #id: string;
  readonly #evidence: Evidence[] = [];

  constructor(prompt: PromptDelivery, host: TurnHost) {
    this.#prompt = prompt;
    this.#host = host;
    this.#id = prompt.turnId ?? turnIdOf(prompt.requestId);
  }

  async deliver(): Promise<DeliveryResult> {
    const { authority, clock } = this.#host;
    const { signal } = this.#prompt;
    const facts = { turn_id: this.#id, server: authority.baseUrl };
    await this.#record('typing', { source: 'server', atUtc: utcStamp(clock.now()), facts });
    const asked = await this.#ask();
    if ('outcome' in asked) return { ...asked, evidence: this.#evidence };
    const interrupt = (): void => void authority.interrupt().catch(() => {});
    signal?.addEventListener('abort', interrupt, { once: true });
    try {
      return await this.#follow(asked);
    } finally {
      signal?.removeEventListener('abort', interrupt);
    }
  }

  /** Retries until the server responds; with one id, a repeated request is the same turn. */
  async #ask(): Promise<TurnView | DeliveryResult> {
    const { closing } = this.#host;
    for (let tries = 0, sent = false; ; tries++) {
      try {
        const { hold } = this.#host;
        const asked = await (hold && this.#prompt.automatic && !sent
          ? hold.unlessHeld(() => this.#askOnce())
          : this.#askOnce());
        return asked instanceof HeldBack ? refused('not_ready', asked.reason) : asked;
      } catch (error) {
        const facts = isRouseError(error) ? error.facts : {};
        if (isStatus(facts['http_status']) && !(sent && isTemporary(facts['http_status'])))
          return refusedByServer(error);
        sent ||= facts['errno'] !== 'ECONNREFUSED' && errnoOf(error) !== 'ECONNREFUSED';
        if (!sent) return refused('not_ready', `the server is away: ${messageOf(error)}`);
        if (closing.aborted) return this.#stopWatching(false);
        await this.#pause(tries);
      }
    }
  }

  #askOnce(): Promise<TurnView> {
    const { requestId, text, direct, chatSession, execution } = this.#prompt;
    return this.#host.authority.prompt(
      {
        turn_id: this.#id,
        request_id: requestId,
        prompt: text,
        direct: direct ?? false,
        ...(chatSession && { chat_session: chatSession }),
        ...(execution?.model && { execution: { model: execution.model } }),
      },
      this.#host.closing,
    );
  }

  async #follow(first: TurnView): Promise<DeliveryResult> {
    const { authority, closing } = this.#host;
    const evidence = this.#evidence;
    let turn = first;
    let reported = 0;
    for (let failures = 0; ; ) {
      for (const { stage, source, at_utc, facts } of turn.stages.slice(reported)) {
        reported++;
        if (stage !== 'typing') await this.#record(stage, { source, atUtc: at_utc, facts });
      }
      if (turn.status !== 'active') break;
      try {
        turn = await authority.turn(this.#id, turn.revision, closing);
        failures = 0;
      } catch (error) {
        if (closing.aborted)
          return this.#stopWatching(turn.stages.some(({ stage }) => stage === 'submitted'));
        if (isRouseError(error) && error.code === 'not_found') {
          const reasons = [`the server no longer knows the turn: ${error.message}`];
          return { outcome: 'unconfirmed', reasons, evidence, untouched: false };
        }
        await this.#pause(failures++);
      }
    }
    const { status, reasons, untouched } = turn;
    return { outcome: OUTCOME_OF[status as 'completed'], reasons, evidence, untouched };
  }

  #stopWatching(submitted: boolean): DeliveryResult {
    const reasons = ['the gateway stopped watching the turn, which the server continues'];
    return {
      outcome: submitted ? 'submitted' : 'unconfirmed',
      reasons,
      evidence: this.#evidence,
      untouched: false,
    };
  }

  async #record(stage: Stage, seen: Evidence): Promise<void> {
    this.#evidence.push(seen);
    await this.#prompt.record(stage, seen);
  }

  async #pause(tries: number): Promise<void> {
    const { clock, closing } = this.#host;
    await sleep(clock, PAUSES_MS[Math.min(tries, PAUSES_MS.length - 1)]!, closing).catch(() => undefined);
  }
}

function isStatus(status: unknown): status is number {
  return typeof status === 'number';
}

/** Sent before the server looked up the turn: it is starting, stopping, or limiting its callers. */
function isTemporary(status: number): boolean {
  return status === 429 || status >= 500;
}

function refusedByServer(error: unknown): DeliveryResult {
  const code = isRouseError(error) ? error.code : 'internal';
  const later = code === 'not_ready' || code === 'unavailable' || code === 'not_found';
  return refused(later ? 'not_ready' : 'refused', messageOf(error));
}

function refused(outcome: DeliveryOutcome, reason: string): DeliveryResult {
  return { outcome, reasons: [reason], evidence: [], untouched: true };
}
