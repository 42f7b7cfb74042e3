import { conflict, crashPoint } from '../../base/index.ts';
import type { Sql } from '../../db/index.ts';
import type { WorkspaceStatus } from '../../domain/index.ts';
import type { HandedCall, HeartbeatBody } from '../../wire/index.ts';
import { takeCalls } from '../calls/index.ts';
import { acknowledgeAll, type Leased, recordOutcome, recordTurn } from '../delivery/index.ts';
import { requireLive } from '../identity/index.ts';
import { BEAT, type BeatRow, beatValues, type Told } from './beat-statement.ts';
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
 * One heartbeat: how the agent is, what it did with earlier messages, what it gets next. The status is changed on the row
 * as it is locked, so that a pause or a removal at the same moment is kept. What was told is one transaction with the
 * rest; a beat that tells nothing, of an agent for which nothing waits, has a part in one statement, since most beats are such.
 */
export async function beat(
  sql: Sql,
  told: Told,
  { quiet, ...options }: BeatOptions & { quiet: QuietBeats },
): Promise<Beat> {
  const { caller, body } = told;
  const { workspaceId } = caller;
  const holder = { workspaceId, sessionId: body.session_id };
  const asked = (tx: Sql, called: boolean) =>
    called && body.takes_calls && !body.leaving ? takeCalls(tx, holder) : [];
  if (tellsNothing(body)) {
    const row = (body.leaving ? undefined : await quiet.record(told)) ?? (await record(sql, told));
    const later = { ...holder, tokenId: caller.tokenId };
    const messages = row.waiting && !body.leaving ? await handOutLater(sql, later, options) : [];
    const calls = await asked(sql, row.called);
    crashPoint('fleet.beat');
    const acks = { acknowledged: 0, late: 0, outcomes_recorded: 0 };
    return { workspaceId, before: row.before, status: row.status, messages, calls, acks };
  }
  return sql.transaction(async (tx) => {
    const { waiting, called, before, status } = await record(tx, told);
    const acks = await settle(tx, holder, body);
    const messages = waiting && !body.leaving ? await handOut(tx, holder, options) : [];
    const calls = await asked(tx, called);
    crashPoint('fleet.beat');
    return { workspaceId, before, status, messages, calls, acks };
  });
}

const tellsNothing = ({ acks, outcomes, turns }: HeartbeatBody): boolean =>
  acks.length + outcomes.length + turns.length === 0;

async function record(sql: Sql, told: Told): Promise<BeatRow> {
  const { rows } = await sql.query<BeatRow>(BEAT, beatValues([told]), { prepared: true });
  if (rows[0]) return rows[0];
  await requireLive(sql, told.caller.tokenId);
  throw olderSession();
}

/** What the gateway says of messages it was given. */
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
    const told = { workspaceId: holder.workspaceId, id, requestId: request_id, outcome, at: new Date(at) };
    if (await recordOutcome(sql, { ...told, turnFollows: turn_follows })) recorded++;
  }
  for (const turn of turns) await recordTurn(sql, holder.workspaceId, turn);
  const late = settled.filter(({ result }) => result === 'stale').length;
  return { acknowledged: settled.length - late, late, outcomes_recorded: recorded };
}

export function olderSession(): Error {
  return conflict('a newer session of this agent has registered', {
    hint: 'this session is not the one the fleet speaks to; relaunch the agent to take over',
    facts: { cause: 'session_replaced' },
  });
}
