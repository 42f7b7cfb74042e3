import * as fs from 'node:fs';
import * as path from 'node:path';
import { readIfExists } from '../../base/index.ts';

const PID_FILE = /^tool-[0-9a-f]+\.pid$/;

/** The process ids that launches of a session recorded: the manifest's, and those of the start scripts. */
export function startedPids(sessionRoot: string, recorded: number | null | undefined): number[] {
  const launch = path.join(sessionRoot, 'launch');
  let names: string[] = [];
  try {
    names = fs.readdirSync(launch).filter((name) => PID_FILE.test(name));
  } catch {}
  const pids = names.map((name) => Number(readIfExists(path.join(launch, name))?.trim()));
  return [...pids, recorded ?? 0].filter((pid) => Number.isInteger(pid) && pid > 1);
}
