import * as fs from 'node:fs';
import * as path from 'node:path';

/**
 * Calls back after one of these files changed. It watches their directories, because every change puts a new file in
 * place of the old one; other names there are passed over. Resolves when no later change can be missed.
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
    // The directory itself went away: the reader looks and finds out.
    watcher.on('error', onChange);
    return watcher;
  });
  return () => {
    for (const watcher of watchers) watcher.close();
  };
}
