import * as fs from 'node:fs';
import * as path from 'node:path';

/**
 * Calls back when a file of this name changes. Watches the directory, because files are replaced by rename. Undefined if
 * the directory does not exist (yet).
 */
export function watchFile(file: string, changed: () => void): (() => void) | undefined {
  return watchDirectory(path.dirname(file), (name) => {
    if (name === null || name === path.basename(file)) changed();
  });
}

export function watchDirectory(
  directory: string,
  changed: (name: string | null) => void,
): (() => void) | undefined {
  try {
    const watcher = fs.watch(directory, { persistent: false }, (_kind, name) => changed(name));
    watcher.on('error', () => watcher.close());
    return () => watcher.close();
  } catch {
    return undefined;
  }
}

/** The parsed JSON object; undefined if the file is missing, incomplete or not an object. */
export function readObject(file: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(fs.readFileSync(file, 'utf8'));
    return value !== null && typeof value === 'object' ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
