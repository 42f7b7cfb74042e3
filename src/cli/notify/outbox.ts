import * as fs from 'node:fs';
import { systemClock } from '../../base/index.ts';
import type { Outbox } from '../../notices/index.ts';
import { noticeFiles } from '../../wire/files/host-files.ts';
import { sessionContext } from '../agents/target.ts';
import type { Input } from '../command.ts';

export const noticesDirectory = ({ settings }: Pick<Input, 'settings'>): string =>
  noticeFiles(settings.runtimeDir).directory;

/** Runs with the outbox. Undefined if no one ever subscribed and none is to be made. */
export async function withOutbox<T>(
  input: Pick<Input, 'settings'>,
  work: (outbox: Outbox) => T | Promise<T>,
  { make = false } = {},
): Promise<T | undefined> {
  const { directory, outbox: file } = noticeFiles(input.settings.runtimeDir);
  if (!make && !fs.existsSync(file)) return undefined;
  const { Outbox } = await import('../../notices/index.ts');
  const outbox = new Outbox({ directory, clock: systemClock });
  try {
    return await work(outbox);
  } finally {
    outbox.close();
  }
}

/** After a change of the subscriptions. */
export const lookAgain = async (input: Input): Promise<void> =>
  (await import('../../notices/index.ts')).lookAgain(sessionContext(input));

/** Starts them if someone subscribes or waits. */
export async function startIfWanted(input: Input): Promise<void> {
  const count = await withOutbox(input, async (outbox) => {
    const { openWaits } = await import('../../notices/index.ts');
    return outbox.subscriptions().length + openWaits(outbox.db).length;
  });
  if (count) await lookAgain(input);
}
