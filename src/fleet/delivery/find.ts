import type { Sql } from '../../db/index.ts';
import { type DeliveryView, VIEW_COLUMNS } from './message.ts';

/** A message and who may see it. */
export interface DeliveryRecord {
  orgId: string;
  callerId: string | null;
  callerUser: string | null;
  view: DeliveryView;
}

export async function findDelivery(
  sql: Sql,
  { workspaceId, id }: { workspaceId: string; id: string },
): Promise<DeliveryRecord | undefined> {
  const { rows } = await sql.query<
    DeliveryView & { org_id: string; caller_id: string | null; caller_user: string | null }
  >(
    `SELECT ${VIEW_COLUMNS}, org_id, caller_id, caller_user FROM a2a_queue WHERE id = $1::uuid AND workspace_id = $2::uuid`,
    [id, workspaceId],
  );
  if (!rows[0]) return undefined;
  const { org_id, caller_id, caller_user, ...view } = rows[0];
  return { orgId: org_id, callerId: caller_id, callerUser: caller_user, view };
}
