import { conflict, crashPoint } from '../../base/index.ts';
import type { Sql } from '../../db/index.ts';
import type { WorkspaceStatus } from '../../domain/index.ts';
import type { HandedCall, HeartbeatBody } from '../../wire/index.ts';
import { takeCalls } from '../calls/index.ts';
import { acknowledgeAll, type Leased, recordOutcome, recordTurn } from '../delivery/index.ts';
import { requireLive } from '../identity/index.ts';
import { BEAT, type BeatRow, beatValues, type SentBeat } from './beat-statement.ts';
import { type BeatOptions, handOut, handOutLater } from './hand-out.ts';
import type { QuietBeats } from './quiet-beats.ts';

export interface Beat {
  workspaceId: string;
  before: WorkspaceStatus;
  status: WorkspaceStatus;
  messages: Leased[];
  calls: HandedCall[];
  acks: { acknowledged: number; late: number; outcomes_recorded: number };
}

/**
 * Handles one heartbeat: how the agent is, what it did with earlier messages, what it gets next. The status is changed
 * on the locked row, so a pause or a removal at the same moment is kept. Reports are one transaction with the rest. A
 * heartbeat without reports, of an agent for which nothing waits, shares one statement with others, since most are like
 * that.
 */
export async function beat(
  sql: Sql,
  sent: SentBeat,
  { quiet, ...options }: BeatOptions & { quiet: QuietBeats },
): Promise<Beat> {
  const { caller, body } = sent;
  const { workspaceId } = caller;
  const holder = { workspaceId, sessionId: body.session_id };
  const asked = (tx: Sql, called: boolean) =>
    called && body.takes_calls && !body.leaving ? takeCalls(tx, holder) : [];
  if (reportsNothing(body)) {
    const row = (body.leaving ? undefined : await quiet.record(sent)) ?? (await record(sql, sent));
    const later = { ...holder, tokenId: caller.tokenId };
    const messages = row.waiting && !body.leaving ? await handOutLater(sql, later, options) : [];
    const calls = await asked(sql, row.called);
    crashPoint('fleet.beat');
    const acks = { acknowledged: 0, late: 0, outcomes_recorded: 0 };
    return { workspaceId, before: row.before, status: row.status, messages, calls, acks };
  }
  return sql.transaction(async (tx) => {
    const { waiting, called, before, status } = await record(tx, sent);
    const acks = await settle(tx, holder, body);
    const messages = waiting && !body.leaving ? await handOut(tx, holder, options) : [];
    const calls = await asked(tx, called);
    crashPoint('fleet.beat');
    return { workspaceId, before, status, messages, calls, acks };
  });
}

const reportsNothing = ({ acks, outcomes, turns }: HeartbeatBody): boolean =>
  acks.length + outcomes.length + turns.length === 0;

async function record(sql: Sql, sent: SentBeat): Promise<BeatRow> {
  const { rows } = await sql.query<BeatRow>(BEAT, beatValues([sent]), { prepared: true });
  if (rows[0]) return rows[0];
  await requireLive(sql, sent.caller.tokenId);
  throw olderSession();
}

/** Records what the gateway reports about messages it was handed. */
export async function settle(
  sql: Sql,
  holder: { workspaceId: string; sessionId: string },
  { acks, outcomes, turns }: Pick<HeartbeatBody, 'acks' | 'outcomes' | 'turns'>,
): Promise<Beat['acks']> {
  const settled = await acknowledgeAll(
    sql,
    holder,
    acks.map(({ request_id, ...ack }) => ({ ...ack, requestId: request_id ?? null })),
  );
  let recorded = 0;
  for (const { id, request_id, outcome, at, turn_follows } of outcomes) {
    const report = { workspaceId: holder.workspaceId, id, requestId: request_id, outcome, at: new Date(at) };
    if (await recordOutcome(sql, { ...report, turnFollows: turn_follows })) recorded++;
  }
  for (const turn of turns) await recordTurn(sql, holder.workspaceId, turn);
  const late = settled.filter(({ result }) => result === 'stale').length;
  return { acknowledged: settled.length - late, late, outcomes_recorded: recorded };
}

export function olderSession(): Error {
  return conflict('a newer session of this agent has registered', {
    hint: 'the fleet uses the newer session; relaunch the agent to take over',
    facts: { cause: 'session_replaced' },
  });
}
