import * as fs from 'node:fs';
import * as path from 'node:path';
import { type ProcessIdentity, readIfExists } from '../../base/index.ts';
import { hostFiles, hostsDirectory } from '../../wire/files/host-files.ts';

export interface RecordedHost {
  directory: string;
  identity: ProcessIdentity;
  startedAtUtc: string;
}

/** The directories of all hosts there ever were. */
export function hostDirectories(runtimeDir: string): string[] {
  const directory = hostsDirectory(runtimeDir);
  try {
    return fs.readdirSync(directory).map((name) => path.join(directory, name));
  } catch {
    return [];
  }
}

/** A damaged record is as good as none. */
export function readHost(directory: string): RecordedHost | undefined {
  try {
    const record = JSON.parse(readIfExists(hostFiles(directory).currentInstance) ?? 'null') as Record<
      string,
      unknown
    > | null;
    const pid = record?.['pid'];
    const ticks = record?.['pid_start_ticks'];
    if (!record || !Number.isInteger(pid)) return undefined;
    const startTicks = Number.isInteger(ticks) ? (ticks as number) : null;
    return {
      directory,
      identity: { pid: pid as number, startTicks, bootId: String(record['boot_id']) },
      startedAtUtc: String(record['started_at_utc']),
    };
  } catch {
    return undefined;
  }
}
