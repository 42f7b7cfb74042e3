import * as fs from 'node:fs';
import * as path from 'node:path';
import type { Clock } from '../../base/index.ts';

/** A pane reads and removes its environment within milliseconds of starting. */
const LEFT_BEHIND_MS = 60_000;

/**
 * Removes environment files whose pane never started because its starter was killed. They hold credentials, and
 * nobody else will ever read them.
 */
export function sweepEnvironmentFiles(runtimeDir: string, clock: Clock): void {
  for (const backend of names(path.join(runtimeDir, 'sessions'))) {
    for (const session of names(path.join(runtimeDir, 'sessions', backend))) {
      const root = path.join(runtimeDir, 'sessions', backend, session);
      removeOld(path.join(root, 'launch', 'env'), clock);
      removeOld(path.join(root, 'gateway', 'run', 'env'), clock);
    }
  }
}

function removeOld(file: string, clock: Clock): void {
  const stat = fs.lstatSync(file, { throwIfNoEntry: false });
  if (stat && clock.now().getTime() - stat.mtimeMs > LEFT_BEHIND_MS) fs.rmSync(file, { force: true });
}

function names(directory: string): string[] {
  try {
    return fs.readdirSync(directory);
  } catch {
    return [];
  }
}
