import { invalid, randomHex } from '../base/index.ts';
import { conditionsOf, type Expectation, runGuarded } from './guard.ts';
import type { Runner } from './runner.ts';

const BUFFER_PREFIX = 'rouse-';
/** tmux reads a longer text faster than it parses it. */
const LONGEST_ARGUMENT = 64 * 1024;

export interface PasteOptions {
  expect?: Expectation;
  /** Allow control characters. Only for bytes that no message, person or agent wrote. */
  raw?: boolean;
  /**
   * Deliver line ends as LF. Default: CR, like a terminal's own paste, with which the common coding agents were measured.
   * A program without bracketed paste takes each CR as Enter.
   */
  keepLineFeeds?: boolean;
}

/**
 * The first step of a bracketed paste of any size; then look at the screen again, then call `pasteBuffer`. Two steps,
 * because a sender that is killed during `load-buffer` leaves a shortened buffer, which must not be pasted. A persistent
 * client gets the text itself, without a process. Returns the buffer's name.
 */
export async function loadBuffer(runner: Runner, data: string | Buffer, options: { raw?: boolean } = {}) {
  const bytes = Buffer.isBuffer(data) ? data : Buffer.from(data);
  if (bytes.length === 0) throw invalid('there is nothing to paste');
  if (!options.raw) refuseControls(bytes.toString(), 'paste');
  const buffer = newBufferName();
  const asText = typeof data === 'string' && !options.raw && runner.stays && bytes.length <= LONGEST_ARGUMENT;
  try {
    if (asText) await runner.run([['set-buffer', '-b', buffer, '--', bytes.toString()]]);
    else await runner.run([['load-buffer', '-b', buffer, '-']], { input: bytes });
  } catch (error) {
    await deleteBuffer(runner, buffer);
    throw error;
  }
  return buffer;
}

/** The second step. The buffer is gone afterwards unless this fails. */
export function pasteBuffer(
  runner: Runner,
  pane: string,
  buffer: string,
  options: PasteOptions = {},
): Promise<void> {
  const flags = ['-p', '-d', ...(options.keepLineFeeds ? ['-r'] : [])];
  const command = ['paste-buffer', ...flags, '-b', buffer, '-t', pane];
  return runGuarded(runner, pane, command, conditionsOf(options.expect ?? {}));
}

/** Removes the buffer if it is there. */
export async function deleteBuffer(runner: Runner, buffer: string): Promise<void> {
  await runner.run([['delete-buffer', '-b', buffer]]).catch(() => {});
}

/** Removes buffers that killed senders left; returns how many. */
export async function sweepBuffers(runner: Runner, olderThanSeconds: number, now: Date): Promise<number> {
  const output = await runner.run([['list-buffers', '-F', '#{buffer_created} #{buffer_name}']]);
  const before = now.getTime() / 1000 - olderThanSeconds;
  const old = output
    .split('\n')
    .map((line) => line.split(' '))
    .filter(([created, name]) => name?.startsWith(BUFFER_PREFIX) && Number(created) < before);
  for (const [, name] of old) await deleteBuffer(runner, name!);
  return old.length;
}

/**
 * Text that is safe to paste: LF line ends, and no control characters except LF and tab. An ESC could close the paste's
 * brackets and press keys. Half a surrogate pair becomes U+FFFD.
 */
export function pasteText(text: string): string {
  return Buffer.from(text)
    .toString()
    .replace(/\r\n?/g, '\n')
    .replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, '');
}

/** A unique name, so two senders never paste each other's text. */
export function newBufferName(): string {
  return `${BUFFER_PREFIX}${randomHex(8)}`;
}

export function refuseControls(text: string, purpose: string): void {
  const found = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/.exec(text);
  if (!found) return;
  const name = `U+${found[0].charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`;
  throw invalid(`text to ${purpose} contains the control character ${name}`, {
    hint: 'Pass it through pasteText first.',
  });
}
