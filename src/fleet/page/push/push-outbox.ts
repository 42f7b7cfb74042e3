import * as fs from 'node:fs';
import type { Outbox } from '../../../notices/index.ts';
import type { SessionContext } from '../../../session/index.ts';
import { noticeFiles } from '../../../wire/index.ts';

/** Ends the Web Push of revoked sessions, and of everyone without a choice. Returns how many browsers had it. */
export async function revokePush(
  session: SessionContext | undefined,
  { name, sessionId }: { name: string | undefined; sessionId: string | undefined },
): Promise<number> {
  const isMeant = (device: { person: string; session: string }): boolean =>
    (name === undefined || device.person === name) &&
    (sessionId === undefined || device.session === sessionId);
  return (await withPush(session, (outbox, { removeDevices }) => removeDevices(outbox, isMeant))) ?? 0;
}

type Notices = typeof import('../../../notices/index.ts');

/** Undefined if no one ever subscribed on this home. What sends notices looks again when their targets have changed. */
export async function withPush<T>(
  session: SessionContext | undefined,
  work: (outbox: Outbox, notices: Notices, directory: string) => T,
): Promise<T | undefined> {
  const files = session && noticeFiles(session.settings.runtimeDir);
  if (!files || !fs.existsSync(files.outbox)) return undefined;
  const notices = await import('../../../notices/index.ts');
  const outbox = new notices.Outbox({ directory: files.directory, clock: session.clock });
  try {
    const before = outbox.db.get<{ n: number }>('SELECT total_changes() AS n')!.n;
    const result = work(outbox, notices, files.directory);
    if (outbox.db.get<{ n: number }>('SELECT total_changes() AS n')!.n !== before)
      await notices.lookAgain(session);
    return result;
  } finally {
    outbox.close();
  }
}
