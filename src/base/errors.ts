/** Why something is refused or fails: a closed set. wire/codes.ts maps each to its HTTP status and exit code. */
export const ERROR_CODES = [
  'invalid',
  'unauthorized',
  'forbidden',
  'not_found',
  'conflict',
  'not_ready',
  'unsupported',
  'unavailable',
  'internal',
] as const;

export type ErrorCode = (typeof ERROR_CODES)[number];

export interface ErrorExtras {
  /** What the person should do now. One sentence. */
  hint?: string;
  /** Machine-readable facts that travel with the error. */
  facts?: Record<string, unknown>;
  cause?: unknown;
}

/** An error meant for the caller: a code, a message that names the thing, and what to do about it. */
export class RouseError extends Error {
  readonly code: ErrorCode;
  readonly hint: string | undefined;
  readonly facts: Record<string, unknown>;

  constructor(code: ErrorCode, message: string, extras: ErrorExtras = {}) {
    super(message, extras.cause === undefined ? undefined : { cause: extras.cause });
    this.name = 'RouseError';
    this.code = code;
    this.hint = extras.hint;
    this.facts = extras.facts ?? {};
  }
}

const make =
  (code: ErrorCode) =>
  (message: string, extras?: ErrorExtras): RouseError =>
    new RouseError(code, message, extras);

export const invalid = make('invalid');
export const unauthorized = make('unauthorized');
export const forbidden = make('forbidden');
export const notFound = make('not_found');
export const conflict = make('conflict');
export const notReady = make('not_ready');
export const unsupported = make('unsupported');
export const unavailable = make('unavailable');
export const internal = make('internal');

/** Checked by name, not by class, because a process may hold two bundles with a copy of this class each. */
export function isRouseError(error: unknown): error is RouseError {
  return error instanceof Error && error.name === 'RouseError' && 'code' in error;
}

/** Returns a RouseError unchanged; anything else becomes `internal` with its cause. */
export function asRouseError(error: unknown): RouseError {
  return isRouseError(error) ? error : internal(messageOf(error), { cause: error });
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** What a full or failing disk reports, or a process that may open no more files. */
const DISK_TROUBLES = ['ENOSPC', 'EDQUOT', 'EIO', 'EROFS', 'EMFILE', 'ENFILE'] as const;
export type DiskTrouble = (typeof DISK_TROUBLES)[number];

export const isDiskTrouble = (error: unknown): boolean =>
  (DISK_TROUBLES as readonly (string | undefined)[]).includes(errnoOf(error));

const DISK_HINTS: Record<DiskTrouble, string> = {
  ENOSPC: 'free some disk space, then try again',
  EDQUOT: 'free some space of your quota, then try again',
  EIO: 'check the disk and its mount, then try again',
  EROFS: 'the file system is read-only: mount it writable, or use another place',
  EMFILE: 'too many files are open: close some, or raise the limit (ulimit -n), then try again',
  ENFILE: 'the machine has too many files open: end some programs, then try again',
};

/** Turns a disk error into `unavailable`, with what failed, why, and what to do. Returns any other error unchanged. */
export function explainDisk(error: unknown, what: string): unknown {
  if (isRouseError(error) || !isDiskTrouble(error)) return error;
  const hint = DISK_HINTS[errnoOf(error) as DiskTrouble];
  return unavailable(`${what}: ${messageOf(error)}`, { hint, cause: error });
}

/** The errno name (`ENOENT`, `EADDRINUSE`) of a Node system error, if it is one. */
export function errnoOf(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === 'string' ? code : undefined;
}
