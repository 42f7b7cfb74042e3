/**
 * Named instants at which a test may kill the process, to prove what survives. In production nothing is
 * armed and a crash point is one comparison.
 */
let armed: { name: string; skip: number } | undefined;

/** `name` or `name@n` (die at the n-th time, from 1). Called by bin/ from ROUSE_CRASH_AT. */
export function armCrashPoint(spec: string | undefined): void {
  if (!spec) {
    armed = undefined;
    return;
  }
  const [name, count] = spec.split('@');
  armed = { name: name ?? '', skip: Number(count ?? 1) - 1 };
}

export function crashPoint(name: string): void {
  if (armed === undefined || armed.name !== name) return;
  if (armed.skip-- > 0) return;
  process.kill(process.pid, 'SIGKILL');
  // SIGKILL of oneself is delivered before this returns on Linux; the wait covers every other case.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
}
