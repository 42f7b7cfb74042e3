import { FLEET_MIGRATIONS } from './fleet/index.ts';
import {
  NOTIFIER_EPOCH_MIGRATIONS,
  NOTIFIER_MIGRATIONS,
  NOTIFIER_PARK_MIGRATIONS,
  NOTIFIER_TEXT_MIGRATIONS,
  NOTIFIER_THREAD_MIGRATIONS,
} from './notifier/index.ts';
import { STATE_MIGRATIONS } from './presence/index.ts';
import { QUEUE_MIGRATIONS } from './queue/index.ts';
import { LIVE_REMINDER_MIGRATIONS, REMINDER_MIGRATIONS } from './reminders/index.ts';

/**
 * The schema of queue.sqlite: one file, so that a wake, its request and its record are one transaction. Append only.
 */
export const QUEUE_FILE_MIGRATIONS = [
  ...QUEUE_MIGRATIONS,
  ...REMINDER_MIGRATIONS,
  ...NOTIFIER_MIGRATIONS,
  ...FLEET_MIGRATIONS,
  ...NOTIFIER_EPOCH_MIGRATIONS,
  ...LIVE_REMINDER_MIGRATIONS,
  ...NOTIFIER_THREAD_MIGRATIONS,
  ...NOTIFIER_TEXT_MIGRATIONS,
  ...NOTIFIER_PARK_MIGRATIONS,
  ...STATE_MIGRATIONS,
];

/** The layout of a version before this one, for readers of a session whose gateway never ran again. */
export const FORMER_QUEUE_FILE_MIGRATIONS = QUEUE_FILE_MIGRATIONS.slice(0, -STATE_MIGRATIONS.length);
