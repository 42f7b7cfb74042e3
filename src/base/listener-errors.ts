/** In tests an error of a listener must be seen: it is thrown where nobody can catch it. */
let hear = (error: unknown): void =>
  queueMicrotask(() => {
    throw error;
  });

/** For programs that live long: no error of a listener or a timer ends them. Once, when they start. */
export function hearListenerErrors(handler: (error: unknown) => void): void {
  hear = handler;
}

/** Calls back somebody whose errors are not the caller's. */
export function callListener(call: () => void): void {
  try {
    call();
  } catch (error) {
    hear(error);
  }
}
