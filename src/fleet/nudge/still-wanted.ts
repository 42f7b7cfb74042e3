import type { Sql } from '../../db/index.ts';
import { OPEN } from './due.ts';

/** Asked just before a nudge is handed out: a reason not to, when the inbox is empty by now. */
export async function nothingToNudge(
  sql: Sql,
  { workspaceId }: { workspaceId: string },
): Promise<string | undefined> {
  const { rowCount } = await sql.query(
    `SELECT FROM requests r WHERE r.recipient_workspace_id = $1 AND ${OPEN} LIMIT 1`,
    [workspaceId],
  );
  return rowCount === 0 ? 'nothing to nudge' : undefined;
}
