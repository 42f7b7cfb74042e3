import * as z from 'zod';
import {
  RECOVERY,
  REQUEST_KINDS,
  REQUEST_OUTCOMES,
  REQUEST_STAGES,
  REQUEST_STATES,
} from '../../domain/index.ts';
import { about, count, integer, name, oneOf, schemaVersion, stamp, strict } from '../fields.ts';

export const ledgerEntry = name(
  'LedgerEntry',
  strict({
    stage: oneOf(REQUEST_STAGES),
    source: about('Who observed it.', z.string()),
    at_utc: stamp,
    facts: z.record(z.string(), z.unknown()),
  }),
);

/** A request as it is now. Its ledger holds the proof of each stage. */
export const requestView = name(
  'RequestView',
  strict({
    schema_version: z.literal(1),
    request_id: z.string(),
    request_kind: oneOf(REQUEST_KINDS),
    state: oneOf(REQUEST_STATES),
    outcome: oneOf(REQUEST_OUTCOMES).nullable(),
    accepted_at_utc: stamp,
    started_at_utc: stamp.nullable(),
    finished_at_utc: stamp.nullable(),
    expires_at_utc: stamp.nullable(),
    managed_agent_instance_epoch: integer,
    source: z.string(),
    priority: integer,
    sequence: integer,
    waiting_reason: about('Why it is still queued.', z.string().nullable()),
    error_detail: z.string().nullable(),
    payload: z.record(z.string(), z.unknown()),
    payload_cut: about(
      'In lists: texts of the payload longer than 2 KiB are cut; the single request has them in full.',
      z.literal(true).optional(),
    ),
    result: about(
      'Only for a single request: what it left, such as the keys that an interrupt pressed; null until it ends.',
      z.record(z.string(), z.unknown()).nullish(),
    ),
    ledger: z.array(ledgerEntry).optional(),
  }),
);

export const requestList = name(
  'RequestList',
  strict({ schema_version: z.literal(1), queue_depth: count, requests: z.array(requestView) }),
);

export const requestListQuery = z.object({
  state: oneOf(REQUEST_STATES).optional(),
  limit: integer.min(1).max(1000).default(100),
  before: about('Only requests of a smaller sequence.', integer.min(1).optional()),
});

export const requestQuery = z.object({
  wait: about(
    'With any value, or none: the response comes when the request has ended.',
    z.string().optional(),
  ),
});

export const eventsQuery = z.object({
  after: about('The id of the last event received. Default: from now on.', count.max(1e15).optional()),
  request_id: about(
    'Only this request, from its beginning; the stream ends when nothing more can come.',
    z.string().optional(),
  ),
});

const requestIds = z.array(z.string().min(1).max(200)).max(1000).default([]);

/** Body of `POST /v1/reconciliation`: what to do with requests meant for an earlier agent process. */
export const reconcileBody = name(
  'ReconcileBody',
  strict({ schema_version: schemaVersion(1), keep: requestIds, discard: requestIds }),
);

export const reconciliation = name(
  'Reconciliation',
  strict({
    schema_version: z.literal(1),
    managed_agent_recovery: z.enum(RECOVERY),
    managed_agent_instance_epoch: integer,
    requests: z.array(requestView),
  }),
);

export type RequestView = z.infer<typeof requestView>;
export type RequestList = z.infer<typeof requestList>;
export type Reconciliation = z.infer<typeof reconciliation>;
