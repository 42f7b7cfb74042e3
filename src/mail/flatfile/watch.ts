import * as fs from 'node:fs';
import * as path from 'node:path';

/**
 * Calls back after one of these files changed. Watches their directories, because every change replaces the file; other
 * names are ignored. Resolves when no later change can be missed.
 */
export async function watchFiles(files: readonly string[], onChange: () => void): Promise<() => void> {
  const names = new Map<string, Set<string>>();
  for (const file of files) {
    const directory = path.dirname(file);
    names.set(directory, (names.get(directory) ?? new Set()).add(path.basename(file)));
  }
  const watchers = [...names].map(([directory, wanted]) => {
    const watcher = fs.watch(directory, (_event, name) => {
      if (name === null || wanted.has(name)) onChange();
    });
    // The directory was removed. The reader finds out when it looks.
    watcher.on('error', onChange);
    return watcher;
  });
  return () => {
    for (const watcher of watchers) watcher.close();
  };
}
