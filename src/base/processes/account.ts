import { execFileSync } from 'node:child_process';
import { invalid } from '../errors.ts';

const LARGEST_UID = 0xffff_fffe;

/** Returns the uids of accounts of this machine, from names or numbers separated by commas. */
export function accountUids(text: string): number[] {
  const words = text.split(',').map((word) => word.trim());
  return [...new Set(words.filter(Boolean).map(uidOf))];
}

function uidOf(word: string): number {
  if (/^\d+$/.test(word)) {
    if (Number(word) <= LARGEST_UID) return Number(word);
    throw invalid(`${word} is not a uid`);
  }
  // Account names come from more places than /etc/passwd. The `id` program knows them all.
  const found = /^[A-Za-z_][\w.$-]*$/.test(word) ? uidByName(word) : undefined;
  if (found !== undefined) return found;
  throw invalid(`there is no account "${word.slice(0, 64)}" on this machine`, {
    hint: 'use names or uids of accounts, separated by commas: --allow-users www-data,1001',
  });
}

function uidByName(name: string): number | undefined {
  try {
    const output = execFileSync('id', ['-u', name], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    return /^\d+\s*$/.test(output) ? Number(output) : undefined;
  } catch {
    return undefined;
  }
}
