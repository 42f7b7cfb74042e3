import type { Sql } from '../../db/index.ts';
import type { DueRules } from './due.ts';
import type { NudgeSettings } from './settings.ts';

/** Below tasks: a reminder never goes before work. */
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

/** Puts a message into an agent's line, inside the transaction it is given. `created` is false when the key is taken. */
export type Enqueue = (sql: Sql, message: Delivery) => Promise<{ created: boolean }>;

export interface NudgeRules {
  rules: DueRules;
  settings: NudgeSettings;
  enqueue: Enqueue;
}
