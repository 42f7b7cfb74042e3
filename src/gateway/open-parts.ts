import {
  conflict,
  createLog,
  type Ending,
  ensurePrivateDirectory,
  type FileLock,
  FileTroubles,
  isRouseError,
  type Log,
  tryLockFile,
} from '../base/index.ts';
import { openSqlite, type Sqlite } from '../db/index.ts';
import { Accounts, type Door, listen } from '../http/index.ts';
import { freshQueueWords, type GatewayFiles, gatewayFiles, lostQueue } from '../wire/index.ts';
import { ExecutionSlot, LanePause } from './dispatch/index.ts';
import { createEventLog, RotatingFile } from './files/index.ts';
import type { GatewayConfig } from './gateway-config.ts';
import { SessionPause } from './pause/index.ts';
import { InstanceStore, OpenedFile, RequestQueue } from './queue/index.ts';
import { QUEUE_FILE_MIGRATIONS } from './queue-file.ts';
import { Turns } from './turns/index.ts';

export type GatewayParts = Awaited<ReturnType<typeof openParts>>;

/** Opens what may fail to open, in this order: the lock, the port, the queue, the terminal. */
export async function openParts(config: GatewayConfig, ending: Ending) {
  const { clock } = config;
  const files = prepareFiles(config.gatewayRoot);
  const lock = takeLock(files);
  ending.add(() => lock.release());
  const troubles = new FileTroubles(clock);
  const log = openLog(files, config, troubles, ending);
  const door: Door = { app: undefined, accounts: config.accounts ?? new Accounts() };
  const listening = await listen(door, config.host, config.port);
  ending.add(() => listening.close());
  const db = openQueue(files, config);
  ending.add(() => db.close());
  const queueFile = new OpenedFile(files.queue, queueFix(config));
  const queue = new RequestQueue(db, clock, queueFile);
  const probe = troubles.writer(files.queue, () => queue.probe());
  queue.refused.on(() => probe.write());
  ending.add(() => probe.stop());
  const events = createEventLog(files.events, clock, troubles);
  ending.add(() => events.close());
  const hold = new SessionPause(files.pause, clock);
  const surface = config.openSurface({ laneLock: files.laneLock, log, hold });
  ending.add(() => surface.close());
  await surface.start();
  return {
    files,
    log,
    door,
    port: listening.port,
    db,
    queue,
    events,
    surface,
    hold,
    instances: new InstanceStore(db),
    slot: new ExecutionSlot(),
    pause: new LanePause(clock),
    keysPause: new LanePause(clock),
    turns: new Turns(clock),
    troubles,
    queueFile,
  };
}

function prepareFiles(gatewayRoot: string): GatewayFiles {
  const files = gatewayFiles(gatewayRoot);
  for (const directory of [files.gateway, files.run, files.logs]) ensurePrivateDirectory(directory);
  return files;
}

function takeLock(files: GatewayFiles): FileLock {
  const lock = tryLockFile(files.gatewayLock);
  if (lock) return lock;
  throw conflict('a gateway is already running for this session', {
    hint: 'see "rouse agents gateway status"',
    facts: { cause: 'locked' },
  });
}

const queueFix = ({ session }: GatewayConfig): string =>
  freshQueueWords(session.manifest.agent_name ?? undefined);

/** A lost queue needs a person: a new one would have no wakes and none of the accepted requests. */
function openQueue(files: GatewayFiles, config: GatewayConfig): Sqlite {
  const fix = queueFix(config);
  const lost = lostQueue(files);
  if (lost !== undefined) throw conflict(`${lost}; ${fix}`, { facts: { cause: 'queue_lost' } });
  try {
    return openSqlite({ file: files.queue, migrations: QUEUE_FILE_MIGRATIONS });
  } catch (error) {
    // Not a database, or a damaged one.
    if (!isRouseError(error) || error.code !== 'internal') throw error;
    throw conflict(`${error.message}; ${fix}`, { facts: { cause: 'queue_lost' }, cause: error });
  }
}

function openLog(
  files: GatewayFiles,
  { clock, show }: GatewayConfig,
  troubles: FileTroubles,
  ending: Ending,
): Log {
  const file = new RotatingFile(files.log, { maxBytes: 8 * 1024 * 1024, keep: 2, troubles, show });
  ending.add(() => file.close());
  return createLog({ clock, write: (line) => file.append(line) });
}
