import { asRouseError, ERROR_CODES, type ErrorCode, RouseError } from '../../../base/index.ts';

/** What became of one message. */
export type Outcome =
  | { result: 'prepended' | 'duplicate' }
  | {
      error: { code: ErrorCode; message: string; hint?: string | undefined; facts: Record<string, unknown> };
    };

export function failure(error: unknown): Outcome {
  const { code, message, hint, facts } = asRouseError(error);
  return { error: { code, message, hint, facts } };
}

/** The result, or the error thrown. */
export function unwrap(outcome: Outcome): 'prepended' | 'duplicate' {
  if ('result' in outcome) return outcome.result;
  const { code, message, hint, facts } = outcome.error;
  throw new RouseError(code, message, { facts, ...(hint === undefined ? {} : { hint }) });
}

/** An outcome another process wrote: taken only when it has the right shape. */
export function isOutcome(value: unknown): value is Outcome {
  const { result, error } = (value ?? {}) as {
    result?: unknown;
    error?: { code?: unknown; message?: unknown };
  };
  return (
    result === 'prepended' ||
    result === 'duplicate' ||
    (typeof error?.message === 'string' && ERROR_CODES.some((code) => code === error.code))
  );
}
