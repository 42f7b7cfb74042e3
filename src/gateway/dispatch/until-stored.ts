import { type Clock, isRouseError, sleep } from '../../base/index.ts';

const FIRST_PAUSE_MS = 200;
const MAX_PAUSE_MS = 30_000;

/**
 * The end of a request must be stored: otherwise it stays `running`, and nothing handles it before the next gateway
 * starts. Retries while the disk refuses.
 */
export async function untilStored<T>(
  work: () => Promise<T>,
  { clock, stopping }: { clock: Clock; stopping?: AbortSignal | undefined },
): Promise<T> {
  for (let tries = 0; ; tries++) {
    try {
      return await work();
    } catch (error) {
      if (!isRouseError(error) || error.code !== 'unavailable' || stopping?.aborted) throw error;
      await sleep(clock, Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(tries, 10)), stopping);
    }
  }
}
