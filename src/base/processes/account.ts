import { execFileSync } from 'node:child_process';
import { invalid } from '../errors.ts';

const LARGEST_UID = 0xffff_fffe;

/** The uids of accounts of this machine, given as names or numbers with commas between; none for an empty text. */
export function accountUids(text: string): number[] {
  const words = text.split(',').map((word) => word.trim());
  return [...new Set(words.filter(Boolean).map(uidOf))];
}

function uidOf(word: string): number {
  if (/^\d+$/.test(word)) {
    if (Number(word) <= LARGEST_UID) return Number(word);
    throw invalid(`${word} is not a uid`);
  }
  // Names come from more places than /etc/passwd, and the system's own program asks them all.
  const found = /^[A-Za-z_][\w.$-]*$/.test(word) ? asked(word) : undefined;
  if (found !== undefined) return found;
  throw invalid(`there is no account "${word.slice(0, 64)}" on this machine`, {
    hint: 'give names or uids of accounts, with commas between: --allow-users www-data,1001',
  });
}

function asked(name: string): number | undefined {
  try {
    const said = execFileSync('id', ['-u', name], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
    return /^\d+\s*$/.test(said) ? Number(said) : undefined;
  } catch {
    return undefined;
  }
}
