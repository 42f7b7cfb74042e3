import { RouseError } from '../base/index.ts';

/** The RouseError that a call throws; anything else is a failure of the test. */
export function errorOf(call: () => unknown): RouseError {
  try {
    call();
  } catch (error) {
    if (error instanceof RouseError) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}
