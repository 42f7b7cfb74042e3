import { dashedStamp, randomHex } from '../base/index.ts';

/** Which request goes first: people before the default, the default before machines. */
export const REQUEST_PRIORITIES = ['high', 'normal', 'low'] as const;

export type RequestPriority = (typeof REQUEST_PRIORITIES)[number];

let lastRequest: number | undefined;

/**
 * `gwreq-YYYYMMDD-HHMMSSZ-<8 hex>`. The last part counts from a random start, so that one process never makes the same
 * id twice (random ones would collide now and then at thousands a second) and a new id goes to the end of its index.
 */
export function newRequestId(at: Date): string {
  lastRequest = ((lastRequest ?? Number.parseInt(randomHex(4), 16)) + 1) >>> 0;
  return `gwreq-${dashedStamp(at)}-${lastRequest.toString(16).padStart(8, '0')}`;
}

/** `turn-<12 hex>`: one headless turn started by direct control. */
export function newTurnId(): string {
  return `turn-${randomHex(6)}`;
}

/** Which provider conversation a prompt goes to. */
export const CHAT_SESSION_MODES = ['auto', 'new', 'current', 'tool_last_or_new', 'exact'] as const;
export type ChatSessionMode = (typeof CHAT_SESSION_MODES)[number];

/** When a direct prompt may be typed: `ready_only` into a ready agent; `if_no_pending` and `always` sooner. */
export const ADMISSION_POLICIES = ['ready_only', 'if_no_pending', 'always'] as const;
export type AdmissionPolicy = (typeof ADMISSION_POLICIES)[number];
