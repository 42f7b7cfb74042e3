import {
  type Clock,
  type Log,
  type LoopTrouble,
  messageOf,
  type NextPass,
  untilWall,
  utcStamp,
} from '../../base/index.ts';
import type { Sqlite } from '../../db/index.ts';
import type { AgentSurface, Recheck } from '../../terminal/index.ts';
import type { NotifierDecision } from '../../wire/index.ts';
import type { MailAccess } from '../mail/index.ts';
import type { Presence } from '../presence/index.ts';
import type { LedgerEntry, RequestQueue } from '../queue/index.ts';
import type { Turns } from '../turns/index.ts';
import { decideWake, type Trigger, type WakeDecision, type WakeFacts, waitsForTurn } from './decide-wake.ts';
import { type EligibleMail, EligibleReader, Unannounced } from './eligible-mail.ts';
import { notifierSettings } from './notifier-settings.ts';
import { type NotifierRecord, NotifierStore } from './notifier-store.ts';
import { type QuietHours, quietUntilMs } from './quiet-hours.ts';
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

const FIRST_RETRY_MS = 1000;

export type Notifier = ReturnType<typeof createNotifier>;

export function createNotifier(on: NotifierDependencies) {
  const { clock, queue, presence, surface, turns, mail } = on;
  const store = new NotifierStore(on.db, clock);
  const eligible = new EligibleReader();
  const unannounced = new Unannounced((epoch) => store.announced(epoch));
  const records = new WakeRecords({ ...on, store });
  const wakes = new RecentWakes(clock, store);
  let triggers = new Set<Trigger>(['start']);
  let dueAt: number | undefined;
  /** Mail is held back by these. */
  let quiet: QuietHours | undefined;
  let interval: number | null = null;
  let failures = 0;
  /** Open mail is waiting for the agent to become ready. */
  let waiting = false;
  /** An interval passed while the agent was busy. */
  let owed = false;
  let lastDecision: WakeDecision | undefined;
  /** The agent process of the last look. */
  let seenEpoch: number | undefined;
  /** The mail of the last look. */
  let seen: EligibleMail | undefined;

  /** A hint from outside; the next pass looks. */
  function hint(trigger: Trigger): void {
    if (trigger === 'ready' && !waiting && presence.epoch() === seenEpoch) return;
    triggers.add(trigger);
    on.wake();
  }

  async function pass(): Promise<NextPass> {
    const record = store.read();
    if (!record.enabled || record.interval_seconds === null) {
      dueAt = undefined;
      interval = null;
      quiet = undefined;
      turns.leave('mail');
      return 'idle';
    }
    if (interval !== record.interval_seconds) {
      interval = record.interval_seconds;
      dueAt = clock.monotonic() + interval * 1000;
    }
    const trigger = nextTrigger();
    if (trigger) await take(trigger, record);
    const left = Math.max(0, (dueAt ?? clock.monotonic()) - clock.monotonic());
    const until = quietEnd();
    return until === null ? left : Math.min(left, untilWall(clock, until));
  }

  /** What a look that failed was asked for stays asked for. */
  async function take(trigger: Trigger, record: NotifierRecord): Promise<void> {
    const taken = triggers;
    triggers = new Set();
    quiet = undefined;
    try {
      await look(trigger, record, taken);
    } catch (error) {
      triggers = new Set([...taken, ...triggers]);
      throw error;
    }
  }

  function nextTrigger(): Trigger | undefined {
    if (dueAt !== undefined && clock.monotonic() >= dueAt) return 'interval';
    if (quiet && quietEnd() === null) return 'interval';
    // Alone, mail waits for the next interval, so that no turn ends in the next prompt. With others in wait it would
    // never find the agent idle at that moment: then the one that passed counts when its turn comes.
    if (owed && triggers.has('ready') && turns.contested('mail')) return 'interval';
    return (['mail', 'ready', 'start'] as const).find((each) => triggers.has(each));
  }

  /** When the quiet hours that hold mail back end, on the wall clock as it stands now; null when none do. */
  function quietEnd(): number | null {
    return quiet ? quietUntilMs(quiet, clock.now().getTime()) : null;
  }

  /** One cycle: facts, decision, and its record in one transaction. */
  async function look(trigger: Trigger, record: NotifierRecord, asked: ReadonlySet<Trigger>): Promise<void> {
    let found: EligibleMail;
    try {
      await mail.watch();
      found = await eligible.read(await mail.mailbox(), record.mode);
    } catch (error) {
      pollFailed(error, record);
      return;
    }
    failures = 0;
    // Told of one change twice: nothing else may have changed the answer.
    if (trigger === 'mail' && asked.size === 1 && found === seen) return;
    const { facts, decision, prompt } = decide(gather(trigger, record, found));
    lastDecision = decision;
    // An event that finds nothing new says nothing of the interval that passed: that keeps its place among those who wait.
    if (owed && trigger !== 'interval' && decision.outcome === 'dedup_skip') return;
    waiting = decision.outcome === 'busy_skip';
    owed = waiting && (owed || trigger === 'interval');
    if (waitsForTurn(decision)) turns.wait('mail');
    const entry = await on.db.commitTogether(() => records.look({ facts, decision, found, prompt }));
    seen = found;
    if (decision.outcome === 'enqueued') wakes.note(facts.now_utc);
    // In line before it leaves its place, so that nobody goes in between.
    if (!waitsForTurn(decision)) turns.leave('mail');
    if (entry) queue.entries.emit(entry);
    schedule(trigger, record, decision);
  }

  /** The prompt is looked for only when there is to be one. */
  function decide(facts: WakeFacts): { facts: WakeFacts; decision: WakeDecision; prompt: string } {
    const decision = decideWake(facts);
    if (decision.outcome !== 'enqueued') return { facts, decision, prompt: '' };
    const { text, problem } = on.prompt(facts.mode);
    if (problem === null) return { facts, decision, prompt: text };
    const told = { ...facts, prompt_problem: problem };
    return { facts: told, decision: decideWake(told), prompt: text };
  }

  function gather(trigger: Trigger, record: NotifierRecord, found: EligibleMail): WakeFacts {
    const { refs, digest } = found;
    const now = clock.now();
    const { request_admission, active_execution, queue_depth, managed_agent_instance_epoch, last_turn } =
      presence.status();
    seenEpoch = managed_agent_instance_epoch;
    const { ready, reasons } = surface.observation();
    const used = wakes.inLastHour;
    const budget = record.wakes_per_hour;
    const first = turns.before('mail');
    return {
      now_utc: utcStamp(now),
      trigger,
      mode: record.mode,
      repeat: record.repeat,
      interval_seconds: record.interval_seconds ?? 0,
      eligible_count: refs.length,
      digest,
      epoch: seenEpoch,
      unannounced_count: unannounced.of(found, seenEpoch),
      last_notified_digest: record.last_notified_digest,
      last_notification_at_utc: wakes.lastUtc,
      repeats: record.repeats,
      wakes_last_hour: used,
      wakes_per_hour: budget,
      ...(budget !== null && used >= budget && { budget_free_at_utc: wakes.freeAtUtc(budget) }),
      quiet_hours: record.quiet_hours,
      ...(first && { goes_first: first }),
      request_admission,
      active_execution,
      queue_depth,
      ready,
      reasons,
      ...((!ready || active_execution !== 'idle') && last_turn && { last_turn }),
    };
  }

  function pollFailed(error: unknown, record: NotifierRecord): void {
    failures++;
    records.failure(messageOf(error), failures);
    const backoff = Math.min(
      FIRST_RETRY_MS * 2 ** Math.min(failures - 1, 20),
      (record.interval_seconds ?? 60) * 1000,
    );
    dueAt = clock.monotonic() + backoff;
  }

  function schedule(trigger: Trigger, record: NotifierRecord, decision: WakeDecision): void {
    const full = (record.interval_seconds ?? 0) * 1000;
    if (trigger === 'interval' || decision.outcome === 'enqueued') dueAt = clock.monotonic() + full;
    const held = decision.outcome === 'busy_skip' ? record.quiet_hours : null;
    quiet = held && quietUntilMs(held, clock.now().getTime()) !== null ? held : undefined;
    if (decision.look_again_utc === null) return;
    const wait = Math.max(0, Date.parse(decision.look_again_utc) - clock.now().getTime());
    dueAt = Math.min(dueAt ?? Number.POSITIVE_INFINITY, clock.monotonic() + wait);
  }

  /** Asked by the lane when it is about to type: is there still something to wake for? */
  async function recheck(): Promise<Recheck> {
    const { enabled, mode } = store.read();
    if (!enabled) return { go: false, reason: 'wakes were turned off before it was typed' };
    const { refs } = await eligible.read(await mail.mailbox(), mode);
    return refs.length > 0
      ? { go: true }
      : { go: false, reason: 'the mail was handled before the wake was typed' };
  }

  /** The end of a wake that did not arrive makes its mail due again at the next interval. */
  function onLedger(entry: LedgerEntry): void {
    if (entry.stage !== 'finished' || entry.facts['outcome'] === 'submitted') return;
    if (queue.get(entry.request_id).request_kind === 'mail_notifier_prompt') store.wakeFailed();
  }

  const { status, enable, disable } = notifierSettings({
    ...on,
    store,
    heldBack: () => (lastDecision?.outcome === 'busy_skip' ? lastDecision.detail : null),
    nextLookInMs: () => (dueAt === undefined ? null : Math.max(0, dueAt - clock.monotonic())),
    enabled: () => hint('start'),
    disabled: () => {
      waiting = false;
      on.wake();
    },
  });
  const decisions = (limit: number, before?: number): NotifierDecision[] => store.decisions(limit, before);
  const announcedBy = (messageRef: string): string | undefined => store.announcedBy(messageRef);
  return { pass, hint, recheck, onLedger, status, enable, disable, decisions, announcedBy };
}
