import type { Sql } from '../../db/index.ts';
import type { DueRules } from './due.ts';
import type { NudgeSettings } from './settings.ts';

/** Lower than tasks: a reminder never goes before work. */
export const INFO_PRIORITY = 10;

export interface Delivery {
  orgId: string;
  workspaceId: string;
  priority: number;
  method: string;
  body: Record<string, unknown>;
  kind: string;
  idempotencyKey: string;
  expiresAt: Date | null;
}

/**
 * Queues messages for agents, inside the transaction passed, and returns a result for each. `created` is false if the
 * key is taken.
 */
export type EnqueueAll = (
  sql: Sql,
  messages: readonly Delivery[],
) => Promise<readonly { created: boolean }[]>;

export interface NudgeRules {
  rules: DueRules;
  settings: NudgeSettings;
  enqueueAll: EnqueueAll;
}
