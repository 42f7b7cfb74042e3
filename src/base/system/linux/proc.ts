import * as fs from 'node:fs';
import { errnoOf, explainDisk, isDiskTrouble, messageOf, unavailable } from '../../errors.ts';

/** Reads a file below /proc. Undefined if it is not there; throws if it cannot be read. */
export function readProc(file: string): string | undefined {
  return orGone(file, () => fs.readFileSync(`/proc/${file}`, 'utf8'));
}

export function listProc(directory = ''): string[] | undefined {
  return orGone(directory, () => fs.readdirSync(`/proc/${directory}`));
}

export function linkInProc(link: string): string | undefined {
  return orGone(link, () => fs.readlinkSync(`/proc/${link}`));
}

export function ownerInProc(directory: string): number | undefined {
  return orGone(directory, () => fs.statSync(`/proc/${directory}`).uid);
}

function orGone<T>(what: string, read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (['ENOENT', 'ESRCH'].includes(errnoOf(error) ?? '')) return undefined;
    throw unreadable(nameOf(what), error);
  }
}

function nameOf(what: string): string {
  const pid = /^\d+/.exec(what)?.[0];
  if (pid !== undefined) return `process ${pid}`;
  return what === '' ? 'the processes' : `/proc/${what}`;
}

function unreadable(what: string, error: unknown): unknown {
  if (isDiskTrouble(error)) return explainDisk(error, `cannot look at ${what}`);
  return unavailable(`cannot look at ${what}: ${messageOf(error)}`, { cause: error });
}
