import * as fs from 'node:fs';
import * as path from 'node:path';
import { loadPart } from './load-part.ts';

/**
 * What the native file of a package exports: opened by itself where npm puts it on Linux; otherwise whatever the package
 * finds by its own means, which take five files and as many milliseconds.
 */
export function loadNativePart<T>(name: string, fileFor: (arch: string) => string): T {
  try {
    const file = usualPlace(fileFor(process.arch));
    if (file !== undefined) return openNative(file);
  } catch {
    // Its own loader may find another, and tells better why not.
  }
  return loadPart<T>(name);
}

function usualPlace(file: string): string | undefined {
  // The C library of Alpine is another one.
  if (process.platform !== 'linux' || fs.existsSync('/etc/alpine-release')) return undefined;
  let directory = import.meta.dirname;
  for (;;) {
    const found = path.join(directory, 'node_modules', file);
    if (fs.existsSync(found)) return found;
    const above = path.dirname(directory);
    if (above === directory) return undefined;
    directory = above;
  }
}

function openNative<T>(file: string): T {
  const module = { exports: {} };
  process.dlopen(module, file);
  return module.exports as T;
}
