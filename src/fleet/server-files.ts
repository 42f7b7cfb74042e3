/** Where the server of one home keeps its files. Light: the command line loads this without loading the server. */
import * as path from 'node:path';
import { isProcessAlive, type ProcessIdentity, readJsonIfExists } from '../base/index.ts';
import { ownerTokenFile } from '../client/index.ts';
import type { ServerInstance } from '../wire/index.ts';

export interface ServerFiles {
  directory: string;
  /** Held for the life of the server: one per home. */
  lock: string;
  instance: string;
  adminToken: string;
  /** Exists while a server runs that cannot ask the kernel who connects. */
  ownerToken: string;
  /** The embedded database. */
  database: string;
}

export function serverFiles(home: string): ServerFiles {
  const directory = path.join(home, 'server');
  const at = (name: string): string => path.join(directory, name);
  return {
    directory,
    lock: at('server.lock'),
    instance: at('current-instance.json'),
    adminToken: at('admin-token'),
    ownerToken: ownerTokenFile(home),
    database: at('database'),
  };
}

export interface RecordedServer extends ServerInstance {
  process: ProcessIdentity;
}

/** Returns the server that wrote the file, if that same process still runs. */
export function runningServer(files: ServerFiles): RecordedServer | undefined {
  const instance = readJsonIfExists(files.instance) as ServerInstance | undefined;
  if (!instance || !Number.isInteger(instance.pid)) return undefined;
  const { pid, process_start_ticks: startTicks, boot_id: bootId } = instance;
  const identity = { pid, startTicks, bootId };
  return isProcessAlive(identity) ? { ...instance, process: identity } : undefined;
}
