import * as fs from 'node:fs';

/** Process ids of its children, as Linux tells them; none where it does not, or when it has ended. */
export function childrenOf(pid: number): number[] {
  try {
    return fs
      .readdirSync(`/proc/${pid}/task`)
      .flatMap((thread) => fs.readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8').split(' '))
      .filter((child) => child !== '')
      .map(Number);
  } catch {
    return [];
  }
}
