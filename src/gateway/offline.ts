/**
 * What a session's files show without a gateway, and beside a running one: why the agent was or was not woken, how a
 * request ended, and its mail. A light door of this room: nothing here serves or types.
 */
import * as fs from 'node:fs';
import { isRouseError, stableJson, systemClock, utcStamp } from '../base/index.ts';
import { openSqlite, type Sqlite } from '../db/index.ts';
import type { KeptState, LaneTime, LookAgain, WakeHealth } from '../domain/index.ts';
import {
  gatewayFiles,
  lostQueue,
  type MailNotifierStatus,
  type NotifierDecision,
  type RequestView,
} from '../wire/index.ts';
import { decideWake, NotifierStore, readKept, type WakeFacts } from './notifier/index.ts';
import { readStates } from './presence/index.ts';
import {
  type GatewayActivity,
  RequestQueue,
  readActivity,
  readAnnounced,
  readWakeHealth,
  readWakesIn,
  toListedRequest,
  toRequestView,
} from './queue/index.ts';
import { FORMER_QUEUE_FILE_MIGRATIONS, QUEUE_FILE_MIGRATIONS } from './queue-file.ts';
import { ReminderStore } from './reminders/index.ts';

export type { GatewayActivity } from './queue/index.ts';

export type GatewayRecords = ReturnType<typeof openGatewayRecords>;

/** A reader's page cache in KiB; many readers may be open at once. */
const READER_CACHE = 256;

/** Reads queue.sqlite without writing, even while a gateway writes. */
export function openGatewayRecords(gatewayRoot: string) {
  const { db, keepsStates } = openToRead(gatewayFiles(gatewayRoot).queue);
  db.exec(`PRAGMA cache_size = -${READER_CACHE}`);
  const queue = new RequestQueue(db, systemClock);
  const notifier = new NotifierStore(db, systemClock);
  const reminders = new ReminderStore(db);
  return {
    // A gateway may be writing, so every call reads again.
    notifier: () => new NotifierStore(db, systemClock).read(),
    /** Newest first. */
    decisions: (limit: number, before?: number): NotifierDecision[] => notifier.decisions(limit, before),
    announcedBy: (messageRef: string): string | undefined => notifier.announcedBy(messageRef),
    /** The durable reminders, soonest due first. */
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
    /** Oldest first, with the one at the beginning; the newest `limit`. None from before they were kept. */
    states: (wanted: { fromMs: number; toMs: number; limit: number }): KeptState[] =>
      keepsStates ? readStates(db, wanted) : [],
    /** Wakes that were typed, by cell of time. */
    wakesIn: (time: LaneTime): [number, number][] => readWakesIn(db, time),
    /** How the wakes since then went. */
    wakeHealth: (fromMs: number): WakeHealth => readWakeHealth(db, fromMs),
    /** The mail that was announced since then. */
    announcedSince: (fromMs: number): string[] => readAnnounced(db, fromMs),
    /** Changes with every commit of another connection; comparable only with this reader's own values. */
    version: (): number => db.get<{ data_version: number }>('PRAGMA data_version')!.data_version,
    /** Changes when there is news. A look at the mail that found nothing new is none. */
    news: (): string => {
      const { last_poll_at_utc: _, ...settings } = new NotifierStore(db, systemClock).read();
      const [decision] = notifier.decisions(1);
      return JSON.stringify([
        db.get('SELECT MAX(entry_id) AS entry FROM gateway_request_ledger'),
        db.get('SELECT MAX(sequence) AS newest, COUNT(*) AS kept FROM gateway_requests'),
        db.all(`SELECT request_id, state, waiting_reason FROM gateway_requests WHERE state = 'accepted'
          UNION ALL SELECT request_id, state, waiting_reason FROM gateway_requests WHERE state = 'running'`),
        db.all('SELECT reminder_id, definition_json, due_wall_ms, executing FROM gateway_reminders'),
        db.all('SELECT reminder_id, facts_json FROM gateway_live_reminders'),
        settings,
        keepsStates && db.get('SELECT MAX(change_id) AS change FROM gateway_agent_states'),
        [decision?.outcome, decision?.detail, decision?.unread_digest, decision?.enqueued_request_id],
      ]);
    },
    request: (id: string): RequestView => toRequestView(queue.get(id), queue.ledger(id)) as RequestView,
    close: () => db.close(),
  };
}

/** A session that an earlier version left is read as it is. */
function openToRead(file: string): { db: Sqlite; keepsStates: boolean } {
  try {
    const db = openSqlite({ file, readOnly: true, migrations: QUEUE_FILE_MIGRATIONS });
    return { db, keepsStates: true };
  } catch (error) {
    if (!isRouseError(error) || error.code !== 'not_ready') throw error;
    const db = openSqlite({ file, readOnly: true, migrations: FORMER_QUEUE_FILE_MIGRATIONS });
    return { db, keepsStates: false };
  }
}

/** The wake settings kept beside the queue file: all that is known when that file is lost. */
export function keptWakes(gatewayRoot: string): Partial<MailNotifierStatus> & { enabled: boolean } {
  const { enabled = false, mode, interval_seconds, repeat } = readKept(gatewayFiles(gatewayRoot).kept) ?? {};
  return { enabled, mode, interval_seconds, repeat };
}

/** Creates queue.sqlite before any gateway has run, so that readers find it empty, not missing. */
export function seedQueue(gatewayRoot: string): void {
  const files = gatewayFiles(gatewayRoot);
  if (fs.existsSync(files.queue) || lostQueue(files)) return;
  openSqlite({ file: files.queue, migrations: QUEUE_FILE_MIGRATIONS }).close();
}

/**
 * Replaces a lost or unreadable queue by a new one with the same wake settings. The rest of the old one is kept beside
 * it. Returns undefined, and changes nothing, if the queue is sound. No gateway may have it open.
 */
export function replaceLostQueue(gatewayRoot: string, stamp: string): { keptAside: string[] } | undefined {
  const files = gatewayFiles(gatewayRoot);
  if (isSound(gatewayRoot)) return undefined;
  const left = ['', '-wal', '-shm'].map((end) => files.queue + end).filter((file) => fs.existsSync(file));
  const keptAside = left.map((file) => file.replace('queue.sqlite', `queue-${stamp}.sqlite`));
  for (const [at, file] of left.entries()) fs.renameSync(file, keptAside[at]!);
  const db = openSqlite({ file: files.queue, migrations: QUEUE_FILE_MIGRATIONS });
  try {
    const kept = readKept(files.kept);
    if (kept) new NotifierStore(db, systemClock).change(kept);
  } finally {
    db.close();
  }
  return { keptAside };
}

function isSound(gatewayRoot: string): boolean {
  if (lostQueue(gatewayFiles(gatewayRoot))) return false;
  try {
    const records = openGatewayRecords(gatewayRoot);
    records.decisions(1);
    records.close();
    return true;
  } catch {
    return false;
  }
}

/** When time alone would have changed a decision; null if it would not. */
export function lookAgainOf({ facts }: NotifierDecision): LookAgain {
  return facts === null ? { look_again_utc: null, hold: null } : decideWake(facts as unknown as WakeFacts);
}

export interface Replay {
  audit_id: number;
  same: boolean;
  /** The differing values, as `recorded` and `now`. */
  difference?: { recorded: unknown; now: unknown };
}

/** Decides again from the stored facts of a decision. Undefined without facts: the mailbox could not be read. */
export function replayDecision(decision: NotifierDecision): Replay | undefined {
  const { audit_id, outcome, detail, chain, facts } = decision;
  if (facts === null) return undefined;
  const again = decideWake(facts as unknown as WakeFacts);
  const recorded = { outcome, detail, chain };
  const now = { outcome: again.outcome, detail: again.detail, chain: again.chain };
  const same = stableJson(recorded) === stableJson(now);
  return { audit_id, same, ...(!same && { difference: { recorded, now } }) };
}
