import type { ErrorCode } from '../base/index.ts';

/** What each exit code means. Stable: scripts depend on it. */
export const EXIT_CODES: Record<ErrorCode, number> = {
  internal: 1,
  invalid: 2,
  not_found: 3,
  conflict: 4,
  not_ready: 5,
  unsupported: 6,
  unavailable: 7,
  unauthorized: 8,
  forbidden: 8,
};

export const EXIT_MEANINGS: [number, string][] = [
  [0, 'done'],
  [1, 'something went wrong inside Rouse, or a tool it ran failed'],
  [2, 'the command line or its input is not valid; nothing was changed'],
  [3, 'no such agent, message, request, file or other thing'],
  [4, 'conflict: it exists already with other content, is in use, or is ambiguous'],
  [5, 'not ready: the agent may not be disturbed now; the reasons are printed'],
  [6, 'this target or transport cannot do that'],
  [7, 'not reachable now: no live gateway, lock timeout, missing program'],
  [8, 'not allowed: missing or wrong credential'],
  [130, 'interrupted by Ctrl-C'],
];
