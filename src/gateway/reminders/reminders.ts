import type { Clock, Log } from '../../base/index.ts';
import type { BackendKind } from '../../domain/index.ts';
import type { AgentSurface } from '../../terminal/index.ts';
import type { ReminderDelivery } from '../../wire/index.ts';
import type { ExecutionSlot, LanePause } from '../dispatch/index.ts';
import type { EventLog } from '../files/index.ts';
import type { Turns } from '../turns/index.ts';
import { DueReminder } from './due-reminder.ts';
import { EditReminders } from './edit-reminders.ts';
import { LeftDeliveries } from './left-deliveries.ts';
import { ReminderBook } from './reminder-book.ts';
import { reminderEvents } from './reminder-events.ts';
import type { ReminderStore } from './reminder-store.ts';

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
  /** Aborted when the gateway stops. Until then a tool that does not react is waited for. */
  stopping?: AbortSignal;
  /** What blocks a delivery: admission, execution or depth, by their contract names; undefined if nothing does. */
  blockedBy: () => string | undefined;
  /** Something changed that the loop should look at. */
  wake: () => void;
}

/** How many deliveries that did not succeed are kept for display, newest first. */
const MAX_REMEMBERED = 20;

/** The reminders of one gateway: the book, edits by callers, deliveries, and deliveries that an earlier gateway left. */
export class Reminders {
  readonly edit: EditReminders;
  readonly left: LeftDeliveries;
  readonly book: ReminderBook;
  /** One pass: delivers the leader if it is due and nothing blocks it. */
  readonly pass: DueReminder['pass'];

  constructor(dependencies: ReminderDependencies) {
    const events = reminderEvents(dependencies.events, dependencies.log);
    const book = new ReminderBook({ ...dependencies, events });
    const troubles: ReminderDelivery[] = [];
    const remember = (delivery: ReminderDelivery): void => {
      troubles.unshift(delivery);
      troubles.length = Math.min(troubles.length, MAX_REMEMBERED);
    };
    const deps = { ...dependencies, events, book, troubles, remember };
    const due = new DueReminder(deps);
    this.book = book;
    this.edit = new EditReminders(deps);
    this.left = new LeftDeliveries({ ...deps, defer: due.defer });
    this.pass = due.pass;
  }
}
