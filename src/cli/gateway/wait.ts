import { isRouseError } from '../../base/index.ts';
import type { GatewayClient } from '../../client/index.ts';
import { CODES } from '../../wire/codes.ts';
import type { RequestView } from '../../wire/index.ts';
import type { Flag, InputOf, Output } from '../command.ts';
import { positiveSeconds } from '../input/flag-values.ts';
import { exitCodeOfOutcome } from '../print/outcome-exit.ts';
import { requestText } from './request-print.ts';

export const WAIT_FLAGS = [
  { name: 'wait', summary: 'wait until it has ended; the exit code says how' },
  {
    name: 'timeout-seconds',
    value: 'N',
    summary: 'with --wait: give up after this long; exit code 5 if it is still waiting',
    parse: positiveSeconds,
  },
] as const satisfies readonly Flag[];

const NO_END_MS = 2 ** 31 - 1;

/** The request once it has ended, or its state when the time is over. */
export async function waitFor(
  gateway: GatewayClient,
  id: string,
  input: InputOf<typeof WAIT_FLAGS>,
): Promise<RequestView> {
  const seconds = input.flags.timeoutSeconds;
  const timeoutMs = seconds === undefined ? NO_END_MS : Math.min(seconds * 1000, NO_END_MS);
  input.progress(`waiting for ${id}`);
  const deadline = performance.now() + timeoutMs;
  try {
    for (;;) {
      // A gateway on this host responds when the request ends; one of another host may respond earlier, so ask again.
      const left = Math.max(1, Math.min(deadline - performance.now(), NO_END_MS));
      const request = await gateway.getRequest(id, true, { timeoutMs: left, signal: input.signal });
      if (request.outcome != null || performance.now() >= deadline) return request;
    }
  } catch (error) {
    if (!isRouseError(error) || error.facts['errno'] !== 'ETIMEDOUT') throw error;
    return gateway.getRequest(id);
  }
}

/** A request as output whose exit code is its outcome; not ready while it has none. */
export function outcomeOf(request: RequestView): Output {
  return {
    data: request,
    plain: requestText(request),
    exitCode: exitCodeOfOutcome(request.outcome) ?? CODES.not_ready.exit,
  };
}
