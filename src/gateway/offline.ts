/**
 * What a session's files answer when no gateway runs, and beside one that does: why the agent was or was not woken, what
 * became of a request, and its mail. A light door of this room: nothing here serves or types.
 */
import * as fs from 'node:fs';
import { stableJson, systemClock, utcStamp } from '../base/index.ts';
import { openSqlite } from '../db/index.ts';
import { gatewayFiles, type NotifierDecision, type RequestView } from '../wire/index.ts';
import { decideWake, NotifierStore, type WakeFacts } from './notifier/index.ts';
import {
  type GatewayActivity,
  RequestQueue,
  readActivity,
  toListedRequest,
  toRequestView,
} from './queue/index.ts';
import { QUEUE_FILE_MIGRATIONS } from './queue-file.ts';
import { ReminderStore } from './reminders/index.ts';

export type { GatewayActivity } from './queue/index.ts';

/** Reads queue.sqlite as it is; never writes, also while a gateway does. */
export function openGatewayRecords(gatewayRoot: string) {
  const db = openSqlite({
    file: gatewayFiles(gatewayRoot).queue,
    readOnly: true,
    migrations: QUEUE_FILE_MIGRATIONS,
  });
  const queue = new RequestQueue(db, systemClock);
  const notifier = new NotifierStore(db, systemClock);
  const reminders = new ReminderStore(db);
  return {
    // A gateway may write meanwhile: whoever asks again has it read again.
    notifier: () => new NotifierStore(db, systemClock).read(),
    /** Newest first. */
    decisions: (limit: number, before?: number): NotifierDecision[] => notifier.decisions(limit, before),
    announcedBy: (messageRef: string): string | undefined => notifier.announcedBy(messageRef),
    /** The durable ones, soonest due first. */
    reminders: () =>
      reminders
        .all()
        .toSorted((a, b) => a.due_wall_ms - b.due_wall_ms)
        .map(({ reminder_id, definition: { title, mode }, due_wall_ms }) => ({
          reminder_id,
          title,
          mode,
          next_due_at_utc: utcStamp(new Date(due_wall_ms)),
        })),
    /** Newest first, long texts cut. */
    requests: (limit: number, before?: number): RequestView[] =>
      queue.list({ limit, before }).map((row) => toListedRequest(row) as RequestView),
    activity: (): GatewayActivity => readActivity(db),
    request: (id: string): RequestView => toRequestView(queue.get(id), queue.ledger(id)) as RequestView,
    close: () => db.close(),
  };
}

/** Lays out queue.sqlite before any gateway has run, so that whoever reads the session finds it empty, not absent. */
export function seedQueue(gatewayRoot: string): void {
  const file = gatewayFiles(gatewayRoot).queue;
  if (!fs.existsSync(file)) openSqlite({ file, migrations: QUEUE_FILE_MIGRATIONS }).close();
}

/** When time alone would have changed a decision; null when it would not. */
export function lookAgainOf({ facts }: NotifierDecision): string | null {
  return facts === null ? null : decideWake(facts as unknown as WakeFacts).look_again_utc;
}

export interface Replay {
  audit_id: number;
  same: boolean;
  /** What differs, as `recorded` and `now`. */
  difference?: { recorded: unknown; now: unknown };
}

/** Decides again from the facts a decision was made from. Undefined for one that had none: the mailbox could not be read. */
export function replayDecision(decision: NotifierDecision): Replay | undefined {
  const { audit_id, outcome, detail, chain, facts } = decision;
  if (facts === null) return undefined;
  const again = decideWake(facts as unknown as WakeFacts);
  const recorded = { outcome, detail, chain };
  const now = { outcome: again.outcome, detail: again.detail, chain: again.chain };
  const same = stableJson(recorded) === stableJson(now);
  return { audit_id, same, ...(!same && { difference: { recorded, now } }) };
}
