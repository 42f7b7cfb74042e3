import { currentTenant } from './tenant.ts';

type OnError = (error: unknown) => void;

// On globalThis, because a process may hold two bundles of this module.
const place = globalThis as { rouseListenerErrors?: OnError };

/** In tests an error of a listener must be seen, so it is thrown where nothing catches it. */
const throwUncaught: OnError = (error) =>
  queueMicrotask(() => {
    throw error;
  });

/** For long-running programs: no error of a listener or timer ends them. Call it once, at the start. */
export function handleListenerErrors(handler: OnError): void {
  place.rouseListenerErrors = handler;
}

/** Calls a listener. Its errors go to the handler, not to the caller. */
export function callListener(call: () => void): void {
  try {
    call();
  } catch (error) {
    (currentTenant()?.onError ?? place.rouseListenerErrors ?? throwUncaught)(error);
  }
}
