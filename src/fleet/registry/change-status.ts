import { conflict } from '../../base/index.ts';
import type { Sql } from '../../db/index.ts';
import {
  ALIVE_WORKSPACES,
  codesOf,
  codesWith,
  isAmong,
  WORKSPACE_STATUSES,
  type WorkspaceStatus,
} from '../../domain/index.ts';
import { giveUpTurns } from '../delivery/index.ts';
import { revokeTokensOf } from '../identity/index.ts';
import { wakeHeldBeats } from './hand-out.ts';
import type { Workspace } from './workspace.ts';

/** What an operator does with an agent. */
export type StatusChange = 'pause' | 'resume' | 'remove';

interface Rule {
  from: readonly WorkspaceStatus[];
  to: WorkspaceStatus;
}

const GOING_ON = codesWith(WORKSPACE_STATUSES, 'goesOn');

/** A resumed agent is offline until its next heartbeat. */
const RULES: Record<StatusChange, Rule> = {
  pause: { from: GOING_ON, to: 'paused' },
  resume: { from: codesWith(WORKSPACE_STATUSES, 'rests'), to: 'offline' },
  remove: { from: codesOf(WORKSPACE_STATUSES).filter((status) => status !== 'removed'), to: 'removed' },
};

/** Its mail stays with the administrators of its org; a new agent of its name starts with an empty mailbox. */
const RETIRE_MAILBOXES =
  'UPDATE mailboxes SET active = false, retired_at = now() WHERE workspace_id = $1::uuid AND retired_at IS NULL';

/**
 * Changes the status by compare-and-set. Repeating a change is harmless. A status that does not allow it is a
 * `conflict` that names the status. Removing ends the tokens in the same transaction.
 */
export function changeStatus(sql: Sql, { id, name }: Workspace, change: StatusChange): Promise<void> {
  const { from, to } = RULES[change];
  return sql.transaction(async (tx) => {
    const { rowCount } = await tx.query(
      `UPDATE workspaces SET status = $2, status_changed_at = now(),
           removed_at = CASE WHEN $2 = 'removed' THEN now() END,
           active_tasks = CASE WHEN $2 = 'removed' THEN 0 ELSE active_tasks END
         WHERE id = $1::uuid AND status = ANY($3::text[])`,
      [id, to, [...from]],
    );
    if (change === 'remove') {
      await revokeTokensOf(tx, id);
      await tx.query(RETIRE_MAILBOXES, [id]);
    }
    if (change === 'remove' && rowCount === 1)
      await giveUpTurns(tx, { workspaceId: id, sessionId: null, detail: 'the agent was removed' });
    await wakeHeldBeats(tx, id);
    if (rowCount === 1) return;
    const { rows } = await tx.query<{ status: WorkspaceStatus }>(
      'SELECT status FROM workspaces WHERE id = $1::uuid',
      [id],
    );
    const now = rows[0]?.status;
    if (now === to || (change === 'resume' && isAmong(ALIVE_WORKSPACES, now ?? null))) return;
    throw conflict(`agent ${name} is ${now}; "${change}" is not possible`, { facts: { status: now } });
  });
}
