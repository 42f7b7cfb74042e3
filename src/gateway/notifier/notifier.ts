import {
  type Clock,
  isRouseError,
  type Log,
  type LoopTrouble,
  messageOf,
  type NextPass,
  notFound,
} from '../../base/index.ts';
import type { Sqlite } from '../../db/index.ts';
import { type AgentPause, type FormerWakes, NOTIFIER_OUTCOMES, type ParkPolicy } from '../../domain/index.ts';
import type { AgentSurface, Recheck } from '../../terminal/index.ts';
import type { GlanceFile, MailNotifierStatus, NotifierDecision, NotifierPreview } from '../../wire/index.ts';
import type { MailAccess } from '../mail/index.ts';
import type { Presence } from '../presence/index.ts';
import { type LedgerEntry, outcomeOf, type RequestQueue } from '../queue/index.ts';
import type { Turns } from '../turns/index.ts';
import {
  decideWake,
  loopWords,
  type Trigger,
  type WakeDecision,
  type WakeFacts,
  waitsForTurn,
} from './decide-wake.ts';
import { type EligibleMail, EligibleReader, Unannounced } from './eligible-mail.ts';
import { gatherFacts } from './gather-facts.ts';
import { type KeptSettings, keptSettings } from './kept-settings.ts';
import type { PausedThread } from './loops/find-loops.ts';
import { MailLoops } from './loops/mail-loops.ts';
import { ThreadStore } from './loops/thread-store.ts';
import { NextLook } from './next-look.ts';
import { NotifierSettings } from './notifier-settings.ts';
import { type NotifierRecord, NotifierStore } from './notifier-store.ts';
import { RecentWakes } from './recent-wakes.ts';
import { WakeRecords } from './wake-records.ts';
import type { WakeTemplate, WakeWanted } from './wake-template.ts';

export interface NotifierDependencies {
  db: Sqlite;
  queue: RequestQueue;
  presence: Presence;
  surface: AgentSurface;
  turns: Turns;
  mail: MailAccess;
  /** A person's pause of the agent. */
  hold: { now(): AgentPause | undefined };
  clock: Clock;
  log: Log;
  /** The prompt of a wake. */
  prompt: (wanted: WakeWanted) => WakeTemplate;
  wake: () => void;
  /** The current failure of this notifier's loop. */
  trouble?: () => LoopTrouble | undefined;
}

/** Looks at the mail when triggered, decides, and queues wakes. */
export class Notifier {
  readonly #deps: NotifierDependencies;
  readonly #store: NotifierStore;
  readonly #threads: ThreadStore;
  readonly #eligible: EligibleReader;
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
  #openMail: number | null = null;
  #paused: PausedThread[] = [];
  #submitted: number;
  /** Why the last look could not read the mailbox. */
  #mailTrouble: { message: string; hint: string | undefined } | undefined;
  readonly settings: NotifierSettings;

  constructor(deps: NotifierDependencies) {
    this.#deps = deps;
    const store = new NotifierStore(deps.db, deps.clock);
    this.#store = store;
    this.#threads = new ThreadStore(deps.db);
    this.#eligible = new EligibleReader(new MailLoops(this.#threads));
    this.#unannounced = new Unannounced((epoch) => store.announced(epoch));
    this.#records = new WakeRecords({ ...deps, store });
    this.#wakes = new RecentWakes(deps.clock, store);
    this.#next = new NextLook(deps.clock);
    this.#submitted = deps.queue.submitted('mail_notifier_prompt');
    this.settings = new NotifierSettings({
      ...deps,
      store,
      heldBack: () => this.#heldBack(),
      paused: () => this.#paused,
      nextLookInMs: () => this.#next.inMs,
      enabled: () => this.hint('start'),
      disabled: () => {
        this.#waiting = false;
        deps.wake();
      },
    });
  }

  /** A hint from outside; the next pass looks. */
  hint(trigger: Trigger): void {
    if (trigger === 'ready' && !this.#waiting && this.#deps.presence.epoch() === this.#seenEpoch) return;
    this.#next.ask(trigger);
    this.#deps.wake();
  }

  pass = async (): Promise<NextPass> => {
    const { turns } = this.#deps;
    const record = this.#store.read();
    if (!record.enabled || record.interval_seconds === null) {
      this.#next.off();
      this.#paused = [];
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
    const { turns, queue } = this.#deps;
    const found = await this.#read(record);
    if (!found) return;
    this.#openMail = record.mode === 'any_inbox' ? found.openCount : null;
    this.#pause(found.paused);
    // The same change was reported twice, and nothing else can have changed the result.
    if (trigger === 'mail' && asked.size === 1 && found === this.#seen) return;
    const { facts, decision, prompt } = this.#decide(trigger, record, found);
    this.#lastDecision = decision;
    if (this.#next.isInconclusive(trigger, decision)) return;
    this.#waiting = NOTIFIER_OUTCOMES[decision.outcome].waits;
    this.#next.owe(trigger, decision);
    if (waitsForTurn(decision)) turns.wait('mail');
    await queue.acceptWith((accept) => {
      for (const thread of found.resumed) this.#threads.resume(thread);
      this.#records.look({ facts, decision, found, prompt }, accept);
    });
    this.#seen = found;
    if (NOTIFIER_OUTCOMES[decision.outcome].wakes) this.#wakes.note(facts.now_utc);
    // Queued before it gives up its place, so that no other waiter goes in between.
    if (!waitsForTurn(decision)) turns.leave('mail');
    this.#next.after(trigger, record, decision);
  }

  /** Returns the mail that may wake; undefined if the mailbox failed, which is then recorded. */
  async #read(record: NotifierRecord): Promise<EligibleMail | undefined> {
    const { mail } = this.#deps;
    try {
      await mail.watch();
      const found = await this.#eligible.read(await mail.mailbox(), record.mode);
      this.#next.found();
      this.#mailTrouble = undefined;
      return found;
    } catch (error) {
      this.#next.failed(record);
      this.#mailTrouble = { message: messageOf(error), hint: isRouseError(error) ? error.hint : undefined };
      this.#records.failure(messageOf(error), this.#next.failures);
      return undefined;
    }
  }

  /** Logs the beginning and the end of a pause once. */
  #pause(paused: PausedThread[]): void {
    const { log } = this.#deps;
    const before = new Set(this.#paused.map(({ thread_ref }) => thread_ref));
    for (const { thread_ref, automatic_replies } of paused)
      if (!before.delete(thread_ref)) log.warn('mail loop paused', { thread_ref, automatic_replies });
    for (const thread_ref of before) log.info('mail loop over', { thread_ref });
    this.#paused = paused;
  }

  #heldBack(): string | null {
    const last = this.#lastDecision;
    if (last && NOTIFIER_OUTCOMES[last.outcome].waits) return last.detail;
    return loopWords(this.#paused) ?? null;
  }

  /** What happens at a usage limit. */
  get park(): ParkPolicy {
    return this.#store.shown().park;
  }

  /** Open mail wakes the agent as soon as it may. */
  get wakeIsDue(): boolean {
    return this.#store.shown().enabled && (this.#seen?.refs.length ?? 0) > 0;
  }

  /** A usage limit cut the turn of a wake, so its mail is announced again when the limit is over. */
  wakeWasCut(): void {
    this.#store.wakeFailed();
  }

  /** Automatic replies in the first thread that is paused for them. */
  get loop(): number | undefined {
    return this.#paused[0]?.automatic_replies;
  }

  /** Why mail cannot wake the agent now although it should. */
  get mailTrouble(): { message: string; hint: string | undefined } | undefined {
    return this.#store.read().enabled ? this.#mailTrouble : undefined;
  }

  /** Ends a pause: the replies so far no longer count. */
  async resume(threadRef: string): Promise<MailNotifierStatus> {
    const thread = this.#paused.find(({ thread_ref }) => thread_ref === threadRef);
    if (!thread)
      throw notFound(`thread ${threadRef} is not paused`, {
        hint: 'see paused_threads of "rouse agents gateway mail-notifier status"',
      });
    this.#threads.resume({ thread_ref: threadRef, since_utc: thread.newest_at_utc });
    this.#eligible.forget();
    this.#pause(this.#paused.filter((each) => each !== thread));
    this.hint('start');
    return this.settings.status();
  }

  /** The prompt is built only if there will be one. */
  #decide(
    trigger: Trigger,
    record: NotifierRecord,
    found: EligibleMail,
  ): { facts: WakeFacts; decision: WakeDecision; prompt: string } {
    const sources = { ...this.#deps, wakes: this.#wakes, unannounced: this.#unannounced };
    const facts = gatherFacts(sources, trigger, record, found);
    this.#seenEpoch = facts.epoch;
    const decision = decideWake(facts);
    if (!NOTIFIER_OUTCOMES[decision.outcome].wakes) return { facts, decision, prompt: '' };
    const { text, problem } = this.#deps.prompt({ ...record, senders: found.senders });
    if (problem === null) return { facts, decision, prompt: text };
    const withProblem = { ...facts, prompt_problem: problem };
    return { facts: withProblem, decision: decideWake(withProblem), prompt: text };
  }

  /** The prompt as it would be typed now. Only reads. */
  async preview(): Promise<NotifierPreview> {
    const record = this.#store.read();
    const { mode } = record;
    const found = await this.#deps.mail
      .mailbox()
      .then((mailbox) => this.#eligible.read(mailbox, mode))
      .catch(() => undefined);
    const {
      text,
      problem,
      leads_with = 'command',
    } = this.#deps.prompt({
      ...record,
      senders: found?.senders ?? [],
    });
    const open = found?.refs.length ?? null;
    return { schema_version: 1, mode, open_mail: open, leads_with, prompt: text, problem };
  }

  /** Called by the lane just before typing: is there still something to wake for? */
  async recheck(): Promise<Recheck> {
    const { enabled, mode } = this.#store.read();
    if (!enabled) return { go: false, reason: 'wakes were turned off before it was typed' };
    const { refs, paused } = await this.#eligible.read(await this.#deps.mail.mailbox(), mode);
    return refs.length > 0
      ? { go: true }
      : {
          go: false,
          reason: `the mail was ${paused.length > 0 ? 'paused' : 'handled'} before the wake was typed`,
        };
  }

  /** A wake that did not arrive makes its mail due again at the next interval. */
  onLedger = (entry: LedgerEntry): void => {
    if (entry.stage !== 'finished') return;
    const { request_kind } = this.#deps.queue.get(entry.request_id);
    if (request_kind !== 'mail_notifier_prompt') return;
    if (outcomeOf(entry) === 'submitted') this.#submitted++;
    else this.#store.wakeFailed();
  };

  /** Settings that outlive the queue they are stored in. */
  kept(): KeptSettings {
    return keptSettings(this.#store.read(), this.#store.isSet);
  }

  /** What is known without a look. */
  glance(): Pick<GlanceFile, 'open_mail' | 'wakes'> {
    const { enabled: on, last_notification_at_utc } = this.#store.shown();
    const turnedOff = !on && this.#store.isSet;
    return {
      open_mail: on ? this.#openMail : null,
      wakes: {
        on,
        count: this.#submitted,
        last_at_utc: last_notification_at_utc,
        held_back: on ? this.#heldBack() : null,
        turned_off: turnedOff,
        ...(turnedOff && { former: this.#formerWakes() }),
      },
    };
  }

  #formerWakes(): FormerWakes {
    const { interval_seconds, mode } = this.#store.read();
    return { interval_seconds, mode };
  }

  decisions(limit: number, before?: number): NotifierDecision[] {
    return this.#store.decisions(limit, before);
  }

  announcedBy(messageRef: string): string | undefined {
    return this.#store.announcedBy(messageRef);
  }
}
