import type { ErrorCode } from '../../base/index.ts';
import { REQUEST_OUTCOMES, type RequestOutcome } from '../../domain/index.ts';
import { CODES } from '../../wire/codes.ts';

/** 0 for a request that ended well; undefined if it has not ended. */
export function exitCodeOfOutcome(outcome: RequestOutcome | null): number | undefined {
  if (outcome === null) return undefined;
  const code: ErrorCode | null = REQUEST_OUTCOMES[outcome].error;
  return code === null ? 0 : CODES[code].exit;
}
