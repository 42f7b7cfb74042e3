import {
  type Clock,
  type Log,
  type NextPass,
  preview,
  randomHex,
  untilWall,
  utcStamp,
} from '../../base/index.ts';
import { type BackendKind, capabilitiesOf, limit, type ReminderDefinition } from '../../domain/index.ts';
import type { AgentSurface, AttemptOwner, SettledAttempt } from '../../terminal/index.ts';
import {
  type Reminder,
  type ReminderDeleted,
  type ReminderDelivery,
  type ReminderSet as ReminderSetView,
  refusal,
} from '../../wire/index.ts';
import type { ExecutionSlot, LanePause } from '../dispatch/index.ts';
import type { EventLog } from '../files/index.ts';
import { TURN_MS, type Turns } from '../turns/index.ts';
import { deliverReminder } from './deliver-reminder.ts';
import {
  correctedDue,
  dueAtMs,
  firstDue,
  followingDue,
  onMonotonic,
  remainingMs,
  restoredDue,
} from './due-time.ts';
import { type LiveReminder, previewDue, toReminderView } from './live-reminder.ts';
import { describe, reminderEvents } from './reminder-events.ts';
import { ReminderSet } from './reminder-set.ts';
import type { ReminderStore, StoredReminder } from './reminder-store.ts';

export interface ReminderDependencies {
  backend: BackendKind;
  surface: AgentSurface;
  slot: ExecutionSlot;
  pause: LanePause;
  turns: Turns;
  store: ReminderStore;
  events: EventLog;
  log: Log;
  clock: Clock;
  /** Aborted when the gateway stops: until then a tool that does not answer is waited for. */
  stopping?: AbortSignal;
  /** Admission, execution and depth as the seed names them, when any of them stands in the way; undefined when none does. */
  blockedBy: () => string | undefined;
  /** Something changed that the loop should look at. */
  wake: () => void;
}

/** Deliveries that did not end well are remembered, newest first, up to this many. */
const REMEMBERED = 20;

/** What is said of a delivery that was under way when the gateway ended. */
const LEFT = {
  submitted: 'the gateway ended during the delivery; it had been submitted',
  not_submitted:
    'the gateway ended during the delivery; its text was taken back, and a live reminder is not kept',
  unknown: 'the gateway ended during the delivery; it is not delivered again',
} as const;

export type Reminders = ReturnType<typeof createReminders>;

export function createReminders(on: ReminderDependencies) {
  const { clock, store, surface } = on;
  const events = reminderEvents(on.events, on.log);
  const set = new ReminderSet();
  const troubles: ReminderDelivery[] = [];
  let lastCreatedMs = 0;
  let handedOver = false;

  const view = (reminder: LiveReminder): Reminder => toReminderView(reminder, set.effective(), clock);
  const shown = (reminder: LiveReminder): Reminder => ({
    ...view(reminder),
    next_due_preview_utc: previewDue(reminder, clock),
  });

  function refuseKeys(definitions: readonly ReminderDefinition[]): void {
    if (capabilitiesOf(on.backend).sendKeysReminders) return;
    if (definitions.some((definition) => definition.send_keys != null)) {
      throw refusal('unsupported_target', `send_keys: a ${on.backend} agent cannot keep tmux key semantics`);
    }
  }

  function refuseTooMany(more: number): void {
    if (set.size + more <= limit('liveReminders')) return;
    throw refusal(
      'too_many_reminders',
      `the agent has ${set.size} live reminders, and may have ${limit('liveReminders')}`,
      {
        hint: 'remove some first, or let one of them repeat',
      },
    );
  }

  /** Later creations are later, also within one millisecond, so that equal rankings keep their order. */
  function newReminder(definition: ReminderDefinition): LiveReminder {
    lastCreatedMs = Math.max(clock.now().getTime(), lastCreatedMs + 0.001);
    const due = firstDue(definition, clock);
    return {
      reminder_id: `greminder-${randomHex(6)}`,
      ranking: definition.ranking,
      createdMs: lastCreatedMs,
      definition,
      anchor: due,
      due,
      executing: false,
      leaving: false,
      lastStartedMs: null,
      lastDelivery: null,
      waiting: null,
    };
  }

  /** Durable ones as a whole, the others so that their loss can be told; as a whole too once all were handed over. */
  function keep(reminders: readonly LiveReminder[]): void {
    const whole = (each: LiveReminder): boolean => handedOver || isDurable(each);
    store.save(reminders.filter(whole).map(toStored));
    const live = reminders.filter((each) => !whole(each));
    store.noteLive(live.map((each) => ({ reminder_id: each.reminder_id, facts: describe(each) })));
  }

  function create(definitions: readonly ReminderDefinition[]): ReminderSetView {
    refuseKeys(definitions);
    refuseTooMany(definitions.length);
    const made = definitions.map(newReminder);
    keep(made);
    for (const reminder of made) {
      set.add(reminder);
      events.write('reminder_registered', describe(reminder));
    }
    on.wake();
    return { schema_version: 1, effective_reminder_id: leaderId(), reminders: made.map(view) };
  }

  function replace(id: string, definition: ReminderDefinition): Reminder {
    const reminder = set.get(id);
    if (reminder.executing) {
      throw refusal('reminder_executing', `reminder ${id} is being delivered; try again when it has ended`);
    }
    refuseKeys([definition]);
    set.remove(reminder);
    const due = firstDue(definition, clock);
    Object.assign(reminder, { definition, ranking: definition.ranking, anchor: due, due, waiting: null });
    set.add(reminder);
    keep([reminder]);
    events.write('reminder_updated', describe(reminder));
    on.wake();
    return shown(reminder);
  }

  function remove(id: string): ReminderDeleted {
    const reminder = set.get(id);
    const { executing } = reminder;
    reminder.leaving = true;
    if (!executing) set.remove(reminder);
    store.remove(id);
    events.write('reminder_deleted', describe(reminder));
    on.wake();
    const detail = executing
      ? 'Reminder deleted; the delivery under way is completed, and there is none after it.'
      : 'Reminder deleted.';
    return {
      schema_version: 1,
      status: 'ok',
      action: 'delete_reminder',
      reminder_id: id,
      deleted: true,
      detail,
    };
  }

  function followClock(reminder: LiveReminder): void {
    reminder.due = correctedDue(reminder.definition, reminder.due, clock);
  }

  function list(): ReminderSetView {
    for (const reminder of set.inOrder()) followClock(reminder);
    return {
      schema_version: 1,
      effective_reminder_id: leaderId(),
      reminders: set.inOrder().map(view),
      recent_deliveries: troubles,
    };
  }

  /** One pass: the leader, if it is due and nothing stands in its way. */
  async function pass(): Promise<NextPass> {
    const leader = set.effective();
    if (leader) followClock(leader);
    const left = leader ? remainingMs(leader.due, clock) : Number.POSITIVE_INFINITY;
    if (left > 0 || leader?.definition.paused) on.turns.leave('reminders');
    else on.turns.wait('reminders');
    if (!leader || leader.executing || leader.definition.paused) return 'idle';
    if (left > 0) return leader.due.on === 'wall' ? untilWall(clock, leader.due.at) : left;
    const blocked = on.blockedBy() ?? blockedAt(leader);
    if (blocked) {
      defer(leader, blocked);
      return 'idle';
    }
    const pause = on.pause.left();
    if (pause > 0) return pause;
    const first = on.turns.before('reminders');
    if (first === undefined) return deliver(leader);
    defer(leader, `turn='${first}'`);
    return TURN_MS;
  }

  /** Keys may be meant for a dialog or a busy turn; a prompt waits until the agent may be disturbed. */
  function blockedAt({ definition }: LiveReminder): string | undefined {
    const { ready, reasons, keysWait } = surface.observation();
    if (definition.prompt == null) return keysWait;
    return ready ? undefined : reasons.join(' ') || 'not ready';
  }

  function defer(reminder: LiveReminder, reason: string): void {
    if (reminder.waiting?.reason === reason) return;
    reminder.waiting = { reason, sinceUtc: utcStamp(clock.now()) };
    events.write('reminder_deferred', { ...describe(reminder), reason });
  }

  async function deliver(reminder: LiveReminder): Promise<NextPass> {
    const { reminder_id } = reminder;
    return on.slot.run({ source: 'reminder', id: reminder_id, since: clock.now() }, async () => {
      Object.assign(reminder, { executing: true, lastStartedMs: clock.now().getTime(), waiting: null });
      if (isDurable(reminder)) store.save([toStored(reminder)]);
      events.write('reminder_started', describe(reminder));
      const { result, delivery } = await deliverReminder(reminder, on);
      // Stays as it is stored, for the next gateway to judge.
      if (result.outcome === 'left') return 'idle';
      reminder.executing = false;
      if (result.outcome === 'returned' || (result.outcome === 'not_ready' && result.untouched)) {
        defer(reminder, result.reasons.join(' '));
        finishReturned(reminder);
        return on.pause.begin();
      }
      on.pause.reset();
      on.turns.leave('reminders');
      reminder.lastDelivery = delivery;
      if (result.outcome !== 'submitted') remember(delivery);
      const kind = result.outcome === 'submitted' ? 'reminder_completed' : 'reminder_failed';
      events.write(kind, { ...describe(reminder), outcome: result.outcome, reasons: result.reasons });
      settle(reminder);
      return 0;
    });
  }

  /** Nothing was typed: it stays due, unless it was deleted meanwhile. */
  function finishReturned(reminder: LiveReminder): void {
    if (reminder.leaving) set.remove(reminder);
    else if (isDurable(reminder)) store.save([toStored(reminder)]);
  }

  function settle(reminder: LiveReminder): void {
    if (reminder.leaving || reminder.definition.mode === 'one_off') {
      set.remove(reminder);
      store.remove(reminder.reminder_id);
      return;
    }
    const next = followingDue(reminder.definition, reminder.anchor, clock);
    if (next.on === 'monotonic')
      reminder.anchor = { on: 'monotonic', at: onMonotonic(reminder.anchor, clock) };
    reminder.due = next;
    if (isDurable(reminder)) store.save([toStored(reminder)]);
  }

  function remember(delivery: ReminderDelivery): void {
    troubles.unshift(delivery);
    troubles.length = Math.min(troubles.length, REMEMBERED);
  }

  /**
   * Brings durable reminders back, by the policy each of them names for times that passed meanwhile; and live ones that
   * the gateway before this one handed over. Those stay whole on disk until `takenOver`: a start that fails loses none.
   */
  function restore(): void {
    // Of a process that was killed: one that ended in good order has told it itself.
    tellLost();
    for (const stored of store.all()) {
      const reminder = fromStored(stored, clock);
      lastCreatedMs = Math.max(lastCreatedMs, stored.created_ms);
      const missed = remainingMs(reminder.due, clock) <= 0;
      // Until it is known what became of it; see `settled`.
      reminder.executing = stored.executing;
      set.add(reminder);
      if (!stored.executing && missed && stored.definition.missed === 'skip') {
        events.write('reminder_missed', describe(reminder));
        settle(reminder);
      }
    }
  }

  /** From now on they live and end with this gateway. */
  function takenOver(): void {
    keep(set.inOrder().filter((each) => !isDurable(each)));
  }

  /** What became of a delivery that an earlier gateway did not end: told once, before anything else is delivered. */
  function settled({ owner, verdict, evidence }: SettledAttempt): void {
    if (owner.source !== 'reminder') return;
    const reminder = set.inOrder().find(({ reminder_id }) => reminder_id === owner.id);
    const seen = evidence.map(({ source, atUtc, facts }) => ({ source, at_utc: atUtc, ...facts }));
    if (verdict === 'not_submitted' && reminder) {
      reminder.executing = false;
      keep([reminder]);
      defer(reminder, `the gateway ended during the delivery: ${evidence.at(-1)?.facts['found']}`);
      on.wake();
      return;
    }
    const outcome = verdict === 'submitted' ? 'submitted' : verdict === 'unknown' ? 'unconfirmed' : 'failed';
    concludeLeft(owner, reminder, { outcome, reasons: [LEFT[verdict]], evidence: seen });
  }

  /** Whatever is still under way was left without a trace, unless it is the one whose attempt is `open`. */
  function noneLeft(open: AttemptOwner | undefined): void {
    for (const reminder of set.inOrder()) {
      const { reminder_id: id, definition } = reminder;
      if (!reminder.executing || reminder.lastStartedMs !== null || open?.id === id) continue;
      const left = { outcome: 'unconfirmed', reasons: [LEFT.unknown], evidence: [] };
      concludeLeft({ id, title: definition.title }, reminder, left);
    }
  }

  function concludeLeft(
    { id, title = '' }: Pick<AttemptOwner, 'id' | 'title'>,
    reminder: LiveReminder | undefined,
    { outcome, reasons, evidence }: Pick<ReminderDelivery, 'outcome' | 'reasons' | 'evidence'>,
  ): void {
    const finished_at_utc = utcStamp(clock.now());
    const delivery = { reminder_id: id, title, outcome, finished_at_utc, reasons, evidence };
    if (outcome !== 'submitted') remember(delivery);
    const told = reminder ? describe(reminder) : { reminder_id: id, title: preview(title, 120) };
    const kind = outcome === 'submitted' ? 'reminder_completed' : 'reminder_failed';
    events.write(kind, { ...told, outcome, reasons });
    if (!reminder) return;
    Object.assign(reminder, { executing: false, lastDelivery: delivery });
    settle(reminder);
    on.wake();
  }

  /**
   * What was live only is lost now, and said to be, unless it is handed over to the next gateway. The others are written
   * as the wall clock stands now.
   */
  function close({ handOver }: { handOver: boolean }): void {
    handedOver = handOver;
    const staying = set.inOrder().filter((each) => !each.leaving && (handOver || isDurable(each)));
    store.save(staying.map(toStored));
    if (!handOver) tellLost();
  }

  function tellLost(): void {
    store.loseLive((facts) => events.write('reminder_lost_on_restart', facts));
  }

  function toStored(reminder: LiveReminder): StoredReminder {
    return {
      reminder_id: reminder.reminder_id,
      definition: reminder.definition,
      created_ms: reminder.createdMs,
      anchor_wall_ms: dueAtMs(reminder.anchor, clock),
      due_wall_ms: dueAtMs(reminder.due, clock),
      executing: reminder.executing,
    };
  }

  const leaderId = (): string | null => set.effective()?.reminder_id ?? null;

  function get(id: string): Reminder {
    const reminder = set.get(id);
    followClock(reminder);
    return shown(reminder);
  }

  return { create, replace, remove, list, get, pass, restore, takenOver, settled, noneLeft, close };
}

function isDurable({ definition }: LiveReminder): boolean {
  return definition.durable === true;
}

function fromStored(stored: StoredReminder, clock: Clock): LiveReminder {
  return {
    reminder_id: stored.reminder_id,
    ranking: stored.definition.ranking,
    createdMs: stored.created_ms,
    definition: stored.definition,
    ...restoredDue(stored.definition, stored, clock),
    executing: false,
    leaving: false,
    lastStartedMs: null,
    lastDelivery: null,
    waiting: null,
  };
}
