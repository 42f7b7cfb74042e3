import { currentTenant } from './tenant.ts';

type Hear = (error: unknown) => void;

// On globalThis, because a process may hold two bundles of this module.
const place = globalThis as { rouseListenerErrors?: Hear };

/** In tests an error of a listener must be seen: it is thrown where nobody can catch it. */
const throwUncaught: Hear = (error) =>
  queueMicrotask(() => {
    throw error;
  });

/** For programs that live long: no error of a listener or a timer ends them. Once, when they start. */
export function hearListenerErrors(handler: Hear): void {
  place.rouseListenerErrors = handler;
}

/** Calls back somebody whose errors are not the caller's. */
export function callListener(call: () => void): void {
  try {
    call();
  } catch (error) {
    (currentTenant()?.hear ?? place.rouseListenerErrors ?? throwUncaught)(error);
  }
}
