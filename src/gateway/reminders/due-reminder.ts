import { type Clock, type NextPass, untilWall, utcStamp } from '../../base/index.ts';
import { reason, reasonText, whyText } from '../../domain/index.ts';
import type { AgentSurface } from '../../terminal/index.ts';
import type { ReminderDelivery } from '../../wire/index.ts';
import type { ExecutionSlot, LanePause } from '../dispatch/index.ts';
import { TURN_MS, type Turns } from '../turns/index.ts';
import { deliverReminder } from './deliver-reminder.ts';
import { remainingMs } from './due-time.ts';
import type { LiveReminder } from './live-reminder.ts';
import type { ReminderBook } from './reminder-book.ts';
import { describe, type ReminderEvents } from './reminder-events.ts';

interface Dependencies {
  book: ReminderBook;
  surface: AgentSurface;
  slot: ExecutionSlot;
  pause: LanePause;
  turns: Turns;
  events: ReminderEvents;
  clock: Clock;
  stopping?: AbortSignal | undefined;
  blockedBy: () => string | undefined;
  /** Called for a delivery that did not succeed. */
  remember: (delivery: ReminderDelivery) => void;
}

/** Delivers the leader when it is due and nothing blocks it. */
export class DueReminder {
  readonly #deps: Dependencies;

  constructor(deps: Dependencies) {
    this.#deps = deps;
  }

  pass = async (): Promise<NextPass> => {
    const { book, clock, turns, pause } = this.#deps;
    const leader = book.set.effective();
    if (leader) book.followClock(leader);
    const left = leader ? remainingMs(leader.due, clock) : Number.POSITIVE_INFINITY;
    if (left > 0 || leader?.definition.paused) turns.leave('reminders');
    else turns.wait('reminders');
    if (!leader || leader.executing || leader.definition.paused) return 'idle';
    if (left > 0) return leader.due.on === 'wall' ? untilWall(clock, leader.due.at) : left;
    const blocked = this.#deps.blockedBy() ?? this.#blockedAt(leader);
    if (blocked) {
      this.defer(leader, blocked);
      return 'idle';
    }
    const rest = pause.left();
    if (rest > 0) return rest;
    const first = turns.before('reminders');
    if (first === undefined) return this.#deliver(leader);
    this.defer(leader, reasonText(reason('turn', first)));
    return TURN_MS;
  };

  defer = (reminder: LiveReminder, reason: string): void => {
    if (reminder.waiting?.reason === reason) return;
    reminder.waiting = { reason, sinceUtc: utcStamp(this.#deps.clock.now()) };
    this.#deps.events.write('reminder_deferred', { ...describe(reminder), reason });
  };

  /** Keys may be meant for a dialog or a busy turn; a prompt waits until the agent may be disturbed. */
  #blockedAt({ definition }: LiveReminder): string | undefined {
    const { ready, reasons, keysWait } = this.#deps.surface.observation();
    if (definition.prompt == null) return keysWait && reasonText(keysWait);
    return ready ? undefined : (whyText(reasons) ?? 'not ready');
  }

  #deliver(reminder: LiveReminder): Promise<NextPass> {
    const { slot, clock, book, events, pause, turns } = this.#deps;
    const { reminder_id } = reminder;
    return slot.run({ source: 'reminder', id: reminder_id, since: clock.now() }, async () => {
      Object.assign(reminder, { executing: true, lastStartedMs: clock.now().getTime(), waiting: null });
      this.#noteStart(reminder);
      events.write('reminder_started', describe(reminder));
      const { result, delivery } = await deliverReminder(reminder, this.#deps);
      // The stored reminder stays as it is, for the next gateway to judge.
      if (result.outcome === 'left') return 'idle';
      reminder.executing = false;
      if (result.outcome === 'returned' || (result.outcome === 'not_ready' && result.untouched)) {
        this.defer(reminder, whyText(result.reasons) ?? '');
        // Nothing was typed: it stays due, unless it was deleted in the meantime.
        if (reminder.leaving) book.set.remove(reminder);
        else book.keepIfDurable(reminder);
        return pause.begin();
      }
      pause.reset();
      turns.leave('reminders');
      reminder.lastDelivery = delivery;
      if (result.outcome !== 'submitted') this.#deps.remember(delivery);
      const kind = result.outcome === 'submitted' ? 'reminder_completed' : 'reminder_failed';
      events.write(kind, { ...describe(reminder), outcome: result.outcome, reasons: delivery.reasons });
      book.moveOn(reminder);
      return 0;
    });
  }

  /** If the start cannot be stored, nothing is typed and the reminder stays due. */
  #noteStart(reminder: LiveReminder): void {
    try {
      this.#deps.book.keepIfDurable(reminder);
    } catch (error) {
      reminder.executing = false;
      throw error;
    }
  }
}
