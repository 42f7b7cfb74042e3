import { isRouseError, sleep, systemClock } from '../../base/index.ts';
import type { InboxRequestEvent } from '../../wire/index.ts';
import type { InputOf } from '../command.ts';
import { fleetOf } from './access.ts';
import type { WATCH_FLAGS } from './requests-flags.ts';
import { eventLine } from './requests-print.ts';

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 15_000;

/** Prints changes as they happen, until interrupted. If the server goes away, it reconnects and misses nothing. */
export async function watch(input: InputOf<typeof WATCH_FLAGS>): Promise<void> {
  let after = input.flags.after;
  let pause = FIRST_PAUSE_MS;
  while (!input.signal.aborted) {
    try {
      const client = await fleetOf(input);
      for await (const { id, event: name, data } of client.ticketEvents(after, input.signal)) {
        after = Number(id);
        pause = FIRST_PAUSE_MS;
        if (name === 'LISTENING') continue;
        const event = data as InboxRequestEvent;
        input.out(input.style === 'json' ? `${JSON.stringify(event)}\n` : `${eventLine(event)}\n`);
      }
    } catch (error) {
      if (!isRouseError(error) || error.code !== 'unavailable') throw error;
      input.err(`${error.message}; trying again\n`);
      await sleep(systemClock, pause, input.signal);
      pause = Math.min(LONGEST_PAUSE_MS, pause * 2);
    }
  }
}
