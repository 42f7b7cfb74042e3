import type { MessageStatus, RequestOutcome } from '../../domain/index.ts';

/** Higher first; nothing is interrupted. */
export const DELIVERY_PRIORITY = { critical: 100, task: 50, info: 10 } as const;

/** Notifies those who wait for messages of a workspace; the payload is its id. */
export const DELIVERY_CHANNEL = 'rouse_delivery';

/** Notifies those who follow an A2A message; the payload is its id. */
export const TASK_CHANNEL = 'rouse_task';

/** Counting stops here: behind a thousand messages, the exact number does not matter. */
export const DEPTH_COUNTED = 1000;

/** When to retry an agent whose queue is full. */
export const RETRY_AFTER_SECONDS = 30;

/** A message as its sender, its target and administrators may see it: never its body or its sender. */
export interface DeliveryView {
  queue_id: string;
  workspace_id: string;
  status: MessageStatus;
  priority: number;
  attempts: number;
  last_error: string | null;
  enqueued_at: Date;
  dispatched_at: Date | null;
  completed_at: Date | null;
  expires_at: Date | null;
  outcome: RequestOutcome | null;
  outcome_at: Date | null;
  response_body: unknown;
}

export const VIEW_COLUMNS = `id AS queue_id, workspace_id, status, priority, attempts, last_error, enqueued_at,
  dispatched_at, completed_at, expires_at, outcome, outcome_at, response_body`;
