import { TaskNotCancelableError } from '@a2a-js/sdk/errors';
import { asRouseError } from '../../base/index.ts';
import type { GatewayClient } from '../../client/index.ts';
import type { Sql } from '../../db/index.ts';
import { isTerminal, type TaskRow } from './task.ts';
import { findTask, type TaskOwner, withdrawTask } from './tasks.ts';

/** The gateway of an agent, reached through its heartbeat; `who` goes into its log. */
export type GatewayOf = (workspaceId: string, who: string) => GatewayClient;

interface Canceling {
  sql: Sql;
  owner: TaskOwner;
  gatewayOf: GatewayOf;
}

/**
 * Takes a message back while it is queued. Once its gateway has it, the gateway removes it from its own queue, or interrupts the
 * agent if exactly this message's turn is running. Returns when the gateway has accepted that; the task becomes CANCELED when the
 * gateway reports it. A task that was canceled before stays canceled: asking twice is not an error.
 */
export async function cancelTask({ sql, owner, gatewayOf }: Canceling, row: TaskRow): Promise<void> {
  if (row.state === 'CANCELED' || (await withdrawTask(sql, owner, row.id))) return;
  const now = (await findTask(sql, owner, row.id)) ?? row;
  if (now.state === 'CANCELED') return;
  if (isTerminal(now)) throw new TaskNotCancelableError(`the task is already ${now.state}`);
  if (now.gateway_request_id === null)
    throw new TaskNotCancelableError("the message is on its way to the agent's gateway; try again");
  const gateway = gatewayOf(owner.workspaceId, 'sender of the task');
  await stop(gateway, now.gateway_request_id, now.id).catch((error: unknown) => {
    const { code, message } = asRouseError(error);
    if (code === 'internal') throw error;
    throw new TaskNotCancelableError(message);
  });
}

async function stop(gateway: GatewayClient, requestId: string, taskId: string): Promise<void> {
  try {
    await gateway.call('requests.cancel', { request_id: requestId });
  } catch (error) {
    if (asRouseError(error).code !== 'conflict') throw error;
    // It has begun, so only its turn can be stopped.
    await gateway.interruptTurnOf(requestId, { idempotency_key: `a2a-cancel:${taskId}` });
  }
}
