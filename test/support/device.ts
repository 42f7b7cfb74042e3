import { execFileSync } from 'node:child_process';
import * as path from 'node:path';

/** A device like /dev/null, in the test's own directory, never the machine's. Needs root. */
export function ownDevice(directory: string, name = 'null'): string {
  const file = path.join(directory, name);
  execFileSync('mknod', ['-m', '666', file, 'c', '1', '3']);
  return file;
}
