import type { RequestKind, RequestOutcome, RequestPriority, RequestState } from '../../domain/index.ts';

/** People before machines. Between equals, first come first served. */
export const PRIORITY: Record<RequestPriority, number> = { high: 100, normal: 50, low: 10 };

export interface AcceptInput {
  kind: RequestKind;
  payload: Record<string, unknown>;
  /** Where it came from: http, direct, notifier, fleet, … */
  source: string;
  priority: number;
  epoch: number;
  idempotencyKey?: string | undefined;
  expiresAtUtc?: string | undefined;
}

/** A row of gateway_requests, under its column names. */
export interface RequestRow {
  sequence: number;
  request_id: string;
  request_kind: RequestKind;
  payload_json: string;
  state: RequestState;
  accepted_at_utc: string;
  started_at_utc: string | null;
  finished_at_utc: string | null;
  managed_agent_instance_epoch: number;
  error_detail: string | null;
  result_json: string | null;
  source: string;
  priority: number;
  outcome: RequestOutcome | null;
  waiting_reason: string | null;
  /** How often it was requeued because nothing of it had been typed. */
  returns: number;
  idempotency_key: string | null;
  expires_at_utc: string | null;
}

/** Of requests that no person asked for: wakes for mail, messages and nudges of the fleet, and the one after a usage limit. A pause holds them. */
export const AUTOMATIC_SOURCES = ['notifier', 'fleet', 'limit'] as const;

export const isAutomatic = ({ source }: Pick<RequestRow, 'source'>): boolean =>
  AUTOMATIC_SOURCES.some((each) => each === source);

export function payloadOf(row: RequestRow): Record<string, unknown> {
  return JSON.parse(row.payload_json) as Record<string, unknown>;
}

/** Commands that change the conversation; of two, the one with the higher rank wins. */
export const CONTEXT_RANK: ReadonlyMap<string, number> = new Map([
  ['/compact', 1],
  ['/clear', 2],
  ['/new', 3],
]);

/**
 * The text a request would type; empty for an interrupt. A context command is recognised with white space around it,
 * and typed without: otherwise the tool would take it for a prompt.
 */
export function promptOf(row: RequestRow): string {
  const { prompt } = payloadOf(row);
  if (typeof prompt !== 'string') return '';
  const trimmed = prompt.trim();
  return row.request_kind === 'submit_prompt' && CONTEXT_RANK.has(trimmed) ? trimmed : prompt;
}

/**
 * What caused it, by the id its sender knows: a message of the fleet, the mail it announces (the first few), or the
 * request itself. The same id is in the log lines of every process involved, on every host.
 */
export function traceOf(row: RequestRow): string {
  if (row.source === 'fleet' && row.idempotency_key) return row.idempotency_key.replace(/^a2a:/, '');
  if (row.source === 'http') return row.request_id;
  const { mail } = payloadOf(row);
  return Array.isArray(mail) && mail.length > 0 ? mail.join(',') : row.request_id;
}
