import * as fs from 'node:fs';
import { createRequire } from 'node:module';
import * as path from 'node:path';
import { isRouseError, messageOf, type RouseError, unavailable } from './errors.ts';

/** Loads a package that is not bundled, because it is native or WebAssembly, from where npm put it. */
export function loadPart<T>(name: string): T {
  try {
    return createRequire(import.meta.url)(name) as T;
  } catch (error) {
    throw partMissing(name, error);
  }
}

/** `unavailable`: a part of the program is missing. No file of the user is to blame. */
export function partMissing(name: string, error: unknown): RouseError {
  if (isRouseError(error)) return error;
  const [reason] = messageOf(error).split('\n');
  return unavailable(`a part of Rouse, the package ${name}, cannot be loaded: ${reason}`, {
    hint: 'install Rouse again, on this machine and with this Node: "npm install --global" as before, or "npm ci" in its clone',
    cause: error,
    facts: { part: name },
  });
}

/**
 * Returns the exports of a package's native file. Opens the file directly where npm puts it on Linux. Otherwise uses
 * the package's own loader, which reads five files and takes as many milliseconds.
 */
export function loadNativePart<T>(name: string, fileFor: (arch: string) => string): T {
  try {
    const file = usualPlace(fileFor(process.arch));
    if (file !== undefined) return openNative(file);
  } catch {
    // The package's own loader may find another file, or explains better why there is none.
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

interface Koffi {
  load(library: null): { func(prototype: string): unknown };
  errno(): number;
}

let koffi: Koffi | undefined;

/**
 * Returns a function of the C library by its prototype. Loads koffi on first use, because most commands need none and
 * loading takes milliseconds. Throws if that is impossible.
 */
export function nativeFunction<F>(prototype: string): F {
  koffi ??= loadNativePart<Koffi>('koffi', (arch) => `@koromix/koffi-linux-${arch}/linux_${arch}/koffi.node`);
  return koffi.load(null).func(prototype) as F;
}

/** The error number of the native call that failed last. */
export function nativeErrno(): number {
  return koffi?.errno() ?? 0;
}
