/**
 * Named instants at which a test may kill the process, to prove what survives. In production none is armed, and a
 * crash point is one comparison.
 */
interface Armed {
  name: string;
  skip: number;
}

// On globalThis, because a process may hold two bundles of this module.
const place = globalThis as { rouseCrashPoint?: Armed | undefined };

/** `name`, or `name@n` to die at the n-th time, counted from 1. The programs in main/ call it with ROUSE_CRASH_AT. */
export function armCrashPoint(spec: string | undefined): void {
  const [name = '', count = '1'] = (spec ?? '').split('@');
  place.rouseCrashPoint = name ? { name, skip: Number(count) - 1 } : undefined;
}

export function crashPoint(name: string): void {
  const armed = place.rouseCrashPoint;
  if (armed === undefined || armed.name !== name) return;
  if (armed.skip-- > 0) return;
  process.kill(process.pid, 'SIGKILL');
  // On Linux, SIGKILL of oneself is delivered before this returns. The wait covers every other system.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
}
