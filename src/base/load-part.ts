import { createRequire } from 'node:module';
import { isRouseError, messageOf, type RouseError, unavailable } from './errors.ts';

/** A package that is not bundled, because its code is native or WebAssembly: loaded from where npm put it. */
export function loadPart<T>(name: string): T {
  try {
    return createRequire(import.meta.url)(name) as T;
  } catch (error) {
    throw partMissing(name, error);
  }
}

/** Nothing of the user's is damaged when a part of the program is not there: `unavailable`, and no file is to blame. */
export function partMissing(name: string, error: unknown): RouseError {
  if (isRouseError(error)) return error;
  const [reason] = messageOf(error).split('\n');
  return unavailable(`a part of Rouse, the package ${name}, cannot be loaded: ${reason}`, {
    hint: 'install Rouse again, on this machine and with this Node: "npm install --global" as before, or "npm ci" in its clone',
    cause: error,
    facts: { part: name },
  });
}
