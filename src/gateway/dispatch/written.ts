import { type Clock, isRouseError, sleep } from '../../base/index.ts';

const FIRST_PAUSE_MS = 200;
const LONGEST_PAUSE_MS = 30_000;

/**
 * What became of a request must be written down: otherwise it stays `running`, and nobody looks at it before the next
 * gateway starts. A disk that takes nothing for a while is waited for.
 */
export async function written<T>(
  work: () => Promise<T>,
  { clock, stopping }: { clock: Clock; stopping?: AbortSignal | undefined },
): Promise<T> {
  for (let tries = 0; ; tries++) {
    try {
      return await work();
    } catch (error) {
      if (!isRouseError(error) || error.code !== 'unavailable' || stopping?.aborted) throw error;
      await sleep(clock, Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(tries, 10)), stopping);
    }
  }
}
