/**
 * Error codes as HTTP statuses, exit codes and JSON-RPC codes. Loads only base/, so that the command line and the client can
 * import this file without the schemas.
 */
import { asRouseError, type ErrorCode, type ErrorExtras, RouseError } from '../base/index.ts';

export interface CodeRow {
  /** HTTP status, unless a refusal below names another. */
  http: number;
  /** Exit code of the command line. */
  exit: number;
  /** JSON-RPC error code. -32001…-32009 belong to A2A and are not used, except its "unsupported operation". */
  rpc: number;
}

export const CODES: Readonly<Record<ErrorCode, CodeRow>> = {
  invalid: { http: 422, exit: 2, rpc: -32602 },
  unauthorized: { http: 401, exit: 8, rpc: -32041 },
  forbidden: { http: 403, exit: 8, rpc: -32043 },
  not_found: { http: 404, exit: 3, rpc: -32044 },
  conflict: { http: 409, exit: 4, rpc: -32049 },
  not_ready: { http: 409, exit: 5, rpc: -32050 },
  unsupported: { http: 422, exit: 6, rpc: -32004 },
  unavailable: { http: 503, exit: 7, rpc: -32053 },
  internal: { http: 500, exit: 1, rpc: -32603 },
};

export interface RefusalRow {
  code: ErrorCode;
  http: number;
  when: string;
}

const row = (code: ErrorCode, http: number, when: string): RefusalRow => ({ code, http, when });

/** Refusals with a name of their own, sent as `error_code`, and the status of each in the contract. */
export const REFUSALS = {
  blocked_reconciliation: row(
    'conflict',
    409,
    'the agent was replaced, and what to do with its requests is undecided',
  ),
  unavailable: row('unavailable', 503, 'the agent is not connected'),
  not_ready: row('not_ready', 409, 'the agent may not be disturbed now'),
  dialog_changed: row('not_ready', 409, 'the dialog that the keys were meant for is no longer on the screen'),
  pending_input: row('not_ready', 409, 'the tool already has queued input'),
  pending_input_unknown: row('not_ready', 409, 'it cannot be seen whether the tool has queued input'),
  invalid_chat_session: row('invalid', 422, 'the target does not take this chat session mode'),
  invalid_execution: row('invalid', 422, 'the target does not take a model override'),
  invalid_admission_policy: row('invalid', 422, 'the target does not take this admission policy'),
  missing_current_chat_session: row('conflict', 409, 'there is no current chat session'),
  dispatch_failed: row('internal', 422, 'the prompt could not be delivered to the agent'),
  unsupported_backend: row('unsupported', 501, 'no gateway can serve this backend'),
  unsupported_target: row('unsupported', 422, 'the target has no such surface'),
  too_many_reminders: row('conflict', 409, 'the agent has the maximum number of live reminders'),
  queue_replaced: row('unavailable', 503, 'the queue file is no longer the one that was opened'),
  queue_full: row('unavailable', 503, 'the queue of the agent is full'),
  reminder_executing: row('conflict', 409, 'the reminder is being delivered'),
  mail_loopback_only: row(
    'unavailable',
    503,
    'mail is served on 127.0.0.1 only, and the gateway is bound wider',
  ),
  mail_no_binding: row('unsupported', 422, 'the session has no usable mailbox'),
  mail_unsupported: row('unsupported', 422, 'the mail transport cannot do that'),
  mail_transport: row('unavailable', 502, 'the mail store failed'),
  port_in_use: row('conflict', 409, 'the requested port is in use'),
  route_unknown: row('not_found', 404, 'there is no such route'),
  method_not_allowed: row('unsupported', 405, 'the route exists, but not with this method'),
  json_invalid: row('invalid', 422, 'the body is not JSON'),
  content_type: row('invalid', 415, 'the body must be application/json'),
  body_too_large: row('invalid', 413, 'the body is larger than the limit'),
  host_refused: row('forbidden', 403, 'the Host header names another machine'),
  own_request: row('invalid', 400, 'the request is to oneself, or the answer to an own request'),
  action_not_for_kind: row('invalid', 400, 'the kind of the request has other answers'),
  status_unknown: row('invalid', 400, 'the filter names an unknown status'),
  already_resolved: row('conflict', 409, 'the request is closed; its row is in the facts'),
  other_account: row('forbidden', 403, 'the caller is another account of this machine'),
  origin_refused: row('forbidden', 403, 'the request comes from a web page'),
  rate_limited: row('unavailable', 429, 'too many requests; Retry-After says when to come back'),
} as const satisfies Record<string, RefusalRow>;

export type RefusalName = keyof typeof REFUSALS;

export function isRefusalName(name: unknown): name is RefusalName {
  return typeof name === 'string' && Object.hasOwn(REFUSALS, name);
}

/** An error with one of the named refusals, which sets its status on the wire. */
export function refusal(name: RefusalName, message: string, extras: ErrorExtras = {}): RouseError {
  return new RouseError(REFUSALS[name].code, message, {
    ...extras,
    facts: { ...extras.facts, error_code: name },
  });
}

export function httpStatusOf(error: RouseError): number {
  const name = error.facts['error_code'];
  return isRefusalName(name) ? REFUSALS[name].http : CODES[error.code].http;
}

export function exitCodeOf(error: RouseError): number {
  return CODES[error.code].exit;
}

/** `detail` is from the contract; `error` is added so that a client gets code, hint and facts. */
export interface ErrorBody {
  detail: unknown;
  error: { code: ErrorCode; message: string; hint?: string; facts?: Record<string, unknown> };
}

const INTERNAL = 'The gateway failed inside; its log has the cause.';

/**
 * Any thrown value as a status and a body. `detail` is the message or, when the facts have them, the list of field issues or
 * the structured refusal of a prompt. An internal error without a name becomes one fixed sentence, so that internals do not
 * leak.
 */
export function toHttp(thrown: unknown): { status: number; body: ErrorBody } {
  const error = asRouseError(thrown);
  const { detail, issues, ...facts } = error.facts;
  if (error.code === 'internal' && !isRefusalName(facts['error_code'])) {
    return { status: 500, body: { detail: INTERNAL, error: { code: 'internal', message: INTERNAL } } };
  }
  const { code, message, hint } = error;
  return {
    status: httpStatusOf(error),
    body: {
      detail: detail ?? issues ?? message,
      error: { code, message, ...(hint && { hint }), ...(Object.keys(facts).length > 0 && { facts }) },
    },
  };
}

export function toJsonRpc(thrown: unknown): { code: number; message: string; data?: unknown } {
  const error = asRouseError(thrown);
  const { body } = toHttp(error);
  return {
    code: CODES[error.code].rpc,
    message: body.error.message,
    data: { detail: body.detail, ...body.error },
  };
}

const BY_STATUS: Readonly<Record<number, ErrorCode>> = {
  401: 'unauthorized',
  403: 'forbidden',
  404: 'not_found',
  405: 'unsupported',
  408: 'unavailable',
  409: 'conflict',
  429: 'unavailable',
  501: 'unsupported',
  502: 'unavailable',
  503: 'unavailable',
  504: 'unavailable',
};

/** The code for a failure status whose body has none. */
export function codeOfStatus(status: number): ErrorCode {
  return BY_STATUS[status] ?? (status >= 400 && status < 500 ? 'invalid' : 'internal');
}
