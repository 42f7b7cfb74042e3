import { type Clock, type Log, utcStamp } from '../../base/index.ts';
import type { Sqlite } from '../../db/index.ts';
import { NOTIFIER_OUTCOMES } from '../../domain/index.ts';
import type { Presence } from '../presence/index.ts';
import { type Accepted, type AcceptInput, PRIORITY } from '../queue/index.ts';
import type { WakeDecision, WakeFacts } from './decide-wake.ts';
import type { EligibleMail } from './eligible-mail.ts';
import type { NotifierStore } from './notifier-store.ts';

interface Dependencies {
  db: Sqlite;
  store: NotifierStore;
  presence: Presence;
  clock: Clock;
  log: Log;
}

interface CheckedMail {
  facts: WakeFacts;
  decision: WakeDecision;
  found: EligibleMail;
  /** The text that is typed if it wakes. */
  prompt: string;
}

type Accept = (input: AcceptInput) => Accepted;

const MAX_REFS_STORED = 5;

/** Stores each look at the mail: the wake itself, which mail it announced, and why or why not. */
export class WakeRecords {
  #deps: Dependencies;
  #lastLogged = '';
  #lastRecorded = '';

  constructor(deps: Dependencies) {
    this.#deps = deps;
  }

  /** Runs inside the look's commit; `accept` adds the wake to it. */
  look({ facts, decision, found: { refs, digest, summary }, prompt }: CheckedMail, accept: Accept): void {
    const { store } = this.#deps;
    const epoch = facts.epoch ?? 0;
    const allKnown = facts.unannounced_count === 0 && store.announced(epoch).size === refs.length;
    const { wakes, open } = NOTIFIER_OUTCOMES[decision.outcome];
    if (this.#isKnown(facts, decision)) return;
    const requestId = wakes ? accept(this.#wake(prompt, refs)).row.request_id : null;
    if (requestId && !allKnown) store.announce(refs, { requestId, epoch });
    store.change({
      last_poll_at_utc: facts.now_utc,
      last_error: facts.prompt_problem ?? null,
      ...(wakes && {
        last_notification_at_utc: facts.now_utc,
        last_notified_digest: digest,
        // Counted per process: the same mail is new to a new process.
        repeats:
          digest === facts.last_notified_digest && facts.unannounced_count === 0 ? facts.repeats + 1 : 0,
      }),
      ...(!open && { last_notified_digest: null, repeats: 0 }),
    });
    store.audit({
      poll_time_utc: facts.now_utc,
      outcome: decision.outcome,
      unread_count: refs.length,
      unread_digest: digest,
      unread_summary: summary,
      request_admission: facts.request_admission,
      // A request ends when it is submitted; the turn that holds this mail back may still be running.
      active_execution:
        decision.outcome === 'busy_skip' && facts.agent_busy ? 'running' : facts.active_execution,
      queue_depth: facts.queue_depth,
      enqueued_request_id: requestId,
      detail: decision.detail,
      facts: { ...facts },
      chain: decision.chain,
    });
    this.#log(decision, requestId);
  }

  /**
   * Only interval cycles are recorded every time. An event is not recorded if it found nothing to do, or the same as
   * the last record: the same mail held back for the same reason.
   */
  #isKnown({ trigger, digest, paused_loops }: WakeFacts, { outcome, detail }: WakeDecision): boolean {
    const before = this.#lastRecorded;
    this.#lastRecorded = `${outcome} ${digest} ${detail}`;
    if (trigger === 'interval') return false;
    const { wakes, waits } = NOTIFIER_OUTCOMES[outcome];
    if (wakes) return false;
    return waits || paused_loops ? this.#lastRecorded === before : true;
  }

  /** The mail could not be read, this many times in a row. */
  failure(message: string, times: number): void {
    const { db, store, clock, log } = this.#deps;
    const now = utcStamp(clock.now());
    db.transaction(() => {
      store.change({ last_poll_at_utc: now, last_error: message });
      if (times > 1 && times % 10 !== 0) return;
      store.audit({
        poll_time_utc: now,
        outcome: 'poll_error',
        unread_count: null,
        unread_digest: null,
        unread_summary: [],
        request_admission: null,
        active_execution: null,
        queue_depth: null,
        enqueued_request_id: null,
        detail: message,
        facts: null,
        chain: [`mailbox: ${message}`, '→ poll_error'],
      });
    });
    if (times === 1) log.warn('mail notifier poll error', { cause: message });
  }

  /** Stores which mail it announces, so that its turn can be followed by the mail's id. */
  #wake(prompt: string, refs: readonly string[]): AcceptInput {
    return {
      kind: 'mail_notifier_prompt',
      payload: { prompt, mail: refs.slice(0, MAX_REFS_STORED) },
      source: 'notifier',
      priority: PRIORITY.low,
      epoch: this.#deps.presence.epoch(),
    };
  }

  /** Logs each new result once: a long wait is one line, not one per poll. */
  #log({ outcome, detail }: WakeDecision, requestId: string | null): void {
    const { log } = this.#deps;
    const text = `${outcome} ${detail ?? ''}`;
    const { wakes, open } = NOTIFIER_OUTCOMES[outcome];
    if (text === this.#lastLogged && !wakes) return;
    this.#lastLogged = text;
    if (wakes) log.info('mail notifier enqueued', { request_id: requestId });
    else if (!open) log.info('mail notifier poll: no open inbox mail');
    else log.info('mail notifier poll deferred', { outcome, detail });
  }
}
