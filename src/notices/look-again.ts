import * as path from 'node:path';
import { ensurePrivateDirectory, writeFileAtomic } from '../base/index.ts';
import { type SessionContext, startNotices } from '../session/index.ts';
import { noticeFiles, writeNoticePlace } from '../wire/index.ts';

/** What changes subscriptions writes a file here, and every owner looks. A hint: the outbox is the truth. */
export const signalsDirectory = (directory: string): string => path.join(directory, 'signals');

/** After a change of the subscriptions: starts what sends notices, and makes it look. */
export async function lookAgain(context: SessionContext): Promise<void> {
  const { runtimeDir, mailboxDir, registryDir, tmuxSocket } = context.settings;
  const { directory, place } = noticeFiles(runtimeDir);
  writeNoticePlace(place, { mailboxDir, registryDir, tmuxSocket });
  await startNotices(context);
  const signals = signalsDirectory(directory);
  ensurePrivateDirectory(signals);
  writeFileAtomic(path.join(signals, 'changed'), '', { durable: false });
}
