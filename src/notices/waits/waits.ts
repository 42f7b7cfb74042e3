import {
  type Clock,
  commandLine,
  crashPoint,
  messageOf,
  type NextPass,
  newUuid,
  utcStamp,
} from '../../base/index.ts';
import type { Sqlite } from '../../db/index.ts';
import { hasComeTrue, WAIT_CONDITIONS, type WaitCondition, type WaitedFor } from '../../domain/index.ts';
import type { SeenAgent } from '../outbox/need.ts';

/** Someone wants mail once, when an agent reaches a state. */
export interface StoredWait {
  id: number;
  uid: string;
  agent_id: string;
  agent: string;
  condition: WaitCondition;
  /** The binding of the mailbox that gets the mail. */
  recipient: Record<string, unknown>;
  /** The agent when the wait began: what happened since then counts, whenever it is looked at. */
  before: WaitedFor;
  created_at_utc: string;
  came_true_at_utc: string | null;
  failure: string | null;
}

export type SendMail = (
  recipient: Record<string, unknown>,
  mail: { key: string; subject: string; text: string },
) => Promise<void>;

type NewWait = Pick<StoredWait, 'agent_id' | 'agent' | 'condition' | 'recipient' | 'before'>;

export function addWait(db: Sqlite, clock: Clock, wait: NewWait): StoredWait {
  const { agent_id, agent, condition, recipient, before } = wait;
  const { id } = db.get<{ id: number }>(
    `INSERT INTO waits (uid, agent_id, agent, condition, recipient_json, before_json, created_at_utc)
     VALUES (?, ?, ?, ?, ?, ?, ?) RETURNING id`,
    [
      ...[newUuid(), agent_id, agent, condition],
      ...[JSON.stringify(recipient), JSON.stringify(before), utcStamp(clock.now())],
    ],
  )!;
  return openWaits(db).find((each) => each.id === id)!;
}

/** Oldest first: those whose mail is not sent yet. */
export function openWaits(db: Sqlite): StoredWait[] {
  return db.all<WaitRow>('SELECT * FROM waits WHERE sent_at_utc IS NULL ORDER BY id').flatMap(waitOf);
}

/** False if it is not open any more. */
export function removeWait(db: Sqlite, id: number): boolean {
  return db.run('DELETE FROM waits WHERE id = ? AND sent_at_utc IS NULL', [id]).changes > 0;
}

const RETRY_MS = 30_000;
const KEPT_ROWS = 1000;

/**
 * Sends the mail of every wait that has come true. It is recorded before it is sent, and the mail has the wait's id as its
 * key, so a crash in between neither loses nor doubles it. A mailbox that takes no mail is tried again.
 */
export async function fireWaits(
  { db, clock, send }: { db: Sqlite; clock: Clock; send: SendMail },
  agents: readonly SeenAgent[],
): Promise<NextPass> {
  const now = new Map(agents.map((each) => [each.id, each]));
  let next: NextPass = 'idle';
  for (const wait of openWaits(db)) {
    const seen = now.get(wait.agent_id) ?? NOT_LISTED;
    if (wait.came_true_at_utc === null) {
      if (!hasComeTrue(wait.condition, wait.before, seen)) continue;
      db.run('UPDATE waits SET came_true_at_utc = ? WHERE id = ?', [utcStamp(clock.now()), wait.id]);
      crashPoint('waits.true');
    }
    try {
      await send(wait.recipient, mailOf(wait));
      crashPoint('waits.sent');
      db.run('UPDATE waits SET sent_at_utc = ?, failure = NULL WHERE id = ?', [
        utcStamp(clock.now()),
        wait.id,
      ]);
      db.run('DELETE FROM waits WHERE sent_at_utc IS NOT NULL AND id < ?', [wait.id - KEPT_ROWS]);
    } catch (error) {
      if (wait.failure !== messageOf(error))
        db.run('UPDATE waits SET failure = ? WHERE id = ?', [messageOf(error), wait.id]);
      next = RETRY_MS;
    }
  }
  return next;
}

/** An agent that is not listed any more has ended, and nothing else about it can come true. */
const NOT_LISTED: WaitedFor = { state: 'gone', needs_you: false, open_mail: null, edges: undefined };

function mailOf({ uid, agent, condition }: StoredWait): { key: string; subject: string; text: string } {
  const subject = `${agent} ${WAIT_CONDITIONS[condition].words}`;
  return {
    key: `notify-when-${uid}`,
    subject,
    text: `${subject}. You asked for this mail once, with "${commandLine`rouse notify-when ${agent} ${condition}`}".`,
  };
}

interface WaitRow {
  id: number;
  recipient_json: string;
  before_json: string;
}

/** A damaged row is left out. */
function waitOf({ recipient_json, before_json, ...row }: WaitRow): StoredWait[] {
  try {
    const rest = row as Omit<StoredWait, 'recipient' | 'before'>;
    return [{ ...rest, recipient: JSON.parse(recipient_json), before: JSON.parse(before_json) }];
  } catch {
    return [];
  }
}
