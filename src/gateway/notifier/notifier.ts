import { type Clock, type Log, type LoopTrouble, messageOf, type NextPass } from '../../base/index.ts';
import type { Sqlite } from '../../db/index.ts';
import type { AgentSurface, Recheck } from '../../terminal/index.ts';
import type { NotifierDecision } from '../../wire/index.ts';
import type { MailAccess } from '../mail/index.ts';
import type { Presence } from '../presence/index.ts';
import type { LedgerEntry, RequestQueue } from '../queue/index.ts';
import type { Turns } from '../turns/index.ts';
import { decideWake, type Trigger, type WakeDecision, type WakeFacts, waitsForTurn } from './decide-wake.ts';
import { type EligibleMail, EligibleReader, Unannounced } from './eligible-mail.ts';
import { gatherFacts } from './gather-facts.ts';
import { NextLook } from './next-look.ts';
import { NotifierSettings } from './notifier-settings.ts';
import { type NotifierRecord, NotifierStore } from './notifier-store.ts';
import { RecentWakes } from './recent-wakes.ts';
import { WakeRecords } from './wake-records.ts';
import type { WakeTemplate } from './wake-template.ts';

export interface NotifierDependencies {
  db: Sqlite;
  queue: RequestQueue;
  presence: Presence;
  surface: AgentSurface;
  turns: Turns;
  mail: MailAccess;
  clock: Clock;
  log: Log;
  /** The prompt of a wake in the given mode. */
  prompt: (mode: NotifierRecord['mode']) => WakeTemplate;
  wake: () => void;
  /** What the loop of this notifier fails with now. */
  trouble?: () => LoopTrouble | undefined;
}

/** Looks at the mail when something asks for it, decides, and puts wakes into the queue. */
export class Notifier {
  readonly #on: NotifierDependencies;
  readonly #store: NotifierStore;
  readonly #eligible = new EligibleReader();
  readonly #unannounced: Unannounced;
  readonly #records: WakeRecords;
  readonly #wakes: RecentWakes;
  readonly #next: NextLook;
  /** Open mail is waiting for the agent to become ready. */
  #waiting = false;
  #lastDecision: WakeDecision | undefined;
  /** The agent process of the last look. */
  #seenEpoch: number | undefined;
  /** The mail of the last look. */
  #seen: EligibleMail | undefined;
  readonly settings: NotifierSettings;

  constructor(on: NotifierDependencies) {
    this.#on = on;
    const store = new NotifierStore(on.db, on.clock);
    this.#store = store;
    this.#unannounced = new Unannounced((epoch) => store.announced(epoch));
    this.#records = new WakeRecords({ ...on, store });
    this.#wakes = new RecentWakes(on.clock, store);
    this.#next = new NextLook(on.clock);
    this.settings = new NotifierSettings({
      ...on,
      store,
      heldBack: () => (this.#lastDecision?.outcome === 'busy_skip' ? this.#lastDecision.detail : null),
      nextLookInMs: () => this.#next.inMs,
      enabled: () => this.hint('start'),
      disabled: () => {
        this.#waiting = false;
        on.wake();
      },
    });
  }

  /** A hint from outside; the next pass looks. */
  hint(trigger: Trigger): void {
    if (trigger === 'ready' && !this.#waiting && this.#on.presence.epoch() === this.#seenEpoch) return;
    this.#next.ask(trigger);
    this.#on.wake();
  }

  pass = async (): Promise<NextPass> => {
    const { turns } = this.#on;
    const record = this.#store.read();
    if (!record.enabled || record.interval_seconds === null) {
      this.#next.off();
      turns.leave('mail');
      return 'idle';
    }
    this.#next.every(record.interval_seconds);
    const trigger = this.#next.due(turns.contested('mail'));
    if (trigger) await this.#next.take((asked) => this.#look(trigger, record, asked));
    return this.#next.restMs;
  };

  /** One cycle: facts, decision, and its record in one transaction. */
  async #look(trigger: Trigger, record: NotifierRecord, asked: ReadonlySet<Trigger>): Promise<void> {
    const { turns, queue } = this.#on;
    const found = await this.#openMail(record);
    if (!found) return;
    // Told of one change twice: nothing else may have changed the answer.
    if (trigger === 'mail' && asked.size === 1 && found === this.#seen) return;
    const { facts, decision, prompt } = this.#decide(trigger, record, found);
    this.#lastDecision = decision;
    if (this.#next.saysNothing(trigger, decision)) return;
    this.#waiting = decision.outcome === 'busy_skip';
    this.#next.owe(trigger, decision);
    if (waitsForTurn(decision)) turns.wait('mail');
    const { entry } = await queue.commit(() => ({
      entry: this.#records.look({ facts, decision, found, prompt }),
    }));
    this.#seen = found;
    if (decision.outcome === 'enqueued') this.#wakes.note(facts.now_utc);
    // In line before it leaves its place, so that nobody goes in between.
    if (!waitsForTurn(decision)) turns.leave('mail');
    if (entry) queue.entries.emit(entry);
    this.#next.after(trigger, record, decision);
  }

  /** The mail that may wake; nothing when the mailbox failed, which is on record then. */
  async #openMail(record: NotifierRecord): Promise<EligibleMail | undefined> {
    const { mail } = this.#on;
    try {
      await mail.watch();
      const found = await this.#eligible.read(await mail.mailbox(), record.mode);
      this.#next.found();
      return found;
    } catch (error) {
      this.#records.failure(messageOf(error), this.#next.failures + 1);
      this.#next.failed(record);
      return undefined;
    }
  }

  /** The prompt is looked for only when there is to be one. */
  #decide(
    trigger: Trigger,
    record: NotifierRecord,
    found: EligibleMail,
  ): { facts: WakeFacts; decision: WakeDecision; prompt: string } {
    const sources = { ...this.#on, wakes: this.#wakes, unannounced: this.#unannounced };
    const facts = gatherFacts(sources, trigger, record, found);
    this.#seenEpoch = facts.epoch;
    const decision = decideWake(facts);
    if (decision.outcome !== 'enqueued') return { facts, decision, prompt: '' };
    const { text, problem } = this.#on.prompt(facts.mode);
    if (problem === null) return { facts, decision, prompt: text };
    const told = { ...facts, prompt_problem: problem };
    return { facts: told, decision: decideWake(told), prompt: text };
  }

  /** Asked by the lane when it is about to type: is there still something to wake for? */
  async recheck(): Promise<Recheck> {
    const { enabled, mode } = this.#store.read();
    if (!enabled) return { go: false, reason: 'wakes were turned off before it was typed' };
    const { refs } = await this.#eligible.read(await this.#on.mail.mailbox(), mode);
    return refs.length > 0
      ? { go: true }
      : { go: false, reason: 'the mail was handled before the wake was typed' };
  }

  /** The end of a wake that did not arrive makes its mail due again at the next interval. */
  onLedger = (entry: LedgerEntry): void => {
    if (entry.stage !== 'finished' || entry.facts['outcome'] === 'submitted') return;
    const { request_kind } = this.#on.queue.get(entry.request_id);
    if (request_kind === 'mail_notifier_prompt') this.#store.wakeFailed();
  };

  decisions(limit: number, before?: number): NotifierDecision[] {
    return this.#store.decisions(limit, before);
  }

  announcedBy(messageRef: string): string | undefined {
    return this.#store.announcedBy(messageRef);
  }
}
