import { type Clock, Loop } from '../../base/index.ts';
import type { FleetMailServer } from '../transport.ts';

const WAIT_SECONDS = 25;
const ANSWER_MS = 10_000;
const PAUSES = { firstMs: 1000, maxMs: 60_000 };

/** The current version of the mailbox. */
export async function versionNow(server: FleetMailServer): Promise<string> {
  const { version } = await server.ask<{ version: string }>('watch', { body: { version: '' } });
  return version;
}

/** Calls back when the version changes. The server holds one request open; nothing else is asked. */
export async function watchVersion(
  { server, clock }: { server: FleetMailServer; clock: Clock },
  changed: () => void,
): Promise<() => void> {
  let known = await versionNow(server);
  let stopped = false;
  const loop = new Loop({
    name: 'fleet-mail',
    clock,
    backoff: PAUSES,
    pass: async (signal) => {
      const body = { version: known, wait_seconds: WAIT_SECONDS };
      const asked = server.ask<{ version: string }>(
        'watch',
        { body },
        { signal, timeoutMs: WAIT_SECONDS * 1000 + ANSWER_MS },
      );
      const { version } = await asked.catch((error: unknown) => {
        if (signal.aborted) return { version: known };
        throw error;
      });
      if (version === known || stopped) return 0;
      known = version;
      changed();
      return 0;
    },
  }).start();
  return () => {
    stopped = true;
    void loop.stop();
  };
}
