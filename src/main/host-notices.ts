import * as fs from 'node:fs';
import * as path from 'node:path';
import { type Clock, createLog, tryLockFile } from '../base/index.ts';
import type { RunningNotices } from '../host/index.ts';
import { noticeFiles, readNoticePlace } from '../wire/index.ts';

interface Surroundings {
  hostDirectory: string;
  env: NodeJS.ProcessEnv;
  clock: Clock;
}

/** Undefined without a subscription, and while another host of this home sends its notices. */
export async function openHostNotices(on: Surroundings): Promise<RunningNotices | undefined> {
  const { hostDirectory, env, clock } = on;
  const runtimeDir = path.resolve(hostDirectory, '../..');
  const files = noticeFiles(runtimeDir);
  // Without the outbox no one ever subscribed, and nothing of the notices is loaded.
  if (!fs.existsSync(files.outbox)) return undefined;
  const place = readNoticePlace(files.place);
  const lock = place && tryLockFile(files.hostLock);
  if (!lock) return undefined;
  const [{ HostNeeds, NoticeOwner }, { openMailbox }, { fleetMail }] = await Promise.all([
    import('../notices/index.ts'),
    import('../mail/index.ts'),
    import('../client/index.ts'),
  ]);
  const log = createLog({ clock, write: (line) => void process.stderr.write(`notices: ${line}`) });
  const settings = { runtimeDir, ...place };
  const source = new HostNeeds(
    { settings, env, clock },
    { log, openMailbox: (binding) => openMailbox(binding, { clock, connectFleet: fleetMail }) },
  );
  const owner = new NoticeOwner({ owner: 'host', directory: files.directory, source, clock, log });
  if (owner.isNeeded) owner.start();
  return {
    lock,
    get isNeeded() {
      return owner.isNeeded;
    },
    wake: () => owner.wake(),
    stop: () => owner.stop(),
  };
}
