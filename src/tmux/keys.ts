import { invalid } from '../base/index.ts';
import { ALONE, conditionsOf, type Expectation, runGuarded } from './guard.ts';
import { requirePaneId } from './names.ts';
import { deleteBuffer, newBufferName, refuseControls } from './paste.ts';
import type { Runner } from './runner.ts';

/** Bytes of text in one `send-keys`. tmux refuses a command of 16 kB, and quoting may double the size. */
const LITERAL_CHUNK_BYTES = 2048;

/** tmux's names of keys. tmux types an unknown name as text, so only known forms pass. */
const KEY_NAME =
  /^((C-|M-|S-){0,3}([!-~]|Up|Down|Left|Right|Home|End|PPage|NPage|PageUp|PageDown|IC|DC|F([1-9]|1[0-2])|Tab|BTab|BSpace|Enter|Escape|Space))$/;

export async function sendKeyName(
  runner: Runner,
  pane: string,
  key: string,
  expect: Expectation = {},
): Promise<void> {
  if (!KEY_NAME.test(key)) throw invalid(`${JSON.stringify(key)} is not the name of a key`);
  await runGuarded(runner, pane, ['send-keys', '-t', pane, '--', key], [...ALONE, ...conditionsOf(expect)]);
}

/**
 * Types text key by key, in pieces. Only for short input: agents treat a long burst of keys as a paste and swallow the
 * following Enter. The expectation is checked before the first piece.
 */
export async function sendLiteral(
  runner: Runner,
  pane: string,
  text: string,
  expect: Expectation = {},
): Promise<void> {
  if (text === '') throw invalid('there is nothing to type');
  refuseControls(text, 'type');
  let conditions = conditionsOf(expect);
  for (const piece of pieces(text, LITERAL_CHUNK_BYTES)) {
    await runGuarded(runner, pane, ['send-keys', '-l', '-t', pane, '--', piece], [...ALONE, ...conditions]);
    conditions = [];
  }
}

export type EnterWay = 'paste' | 'byte' | 'name';

/**
 * Presses Enter. By default this is an unbracketed paste of one CR, the byte that a keyboard sends. It does not depend on
 * how this tmux encodes Enter for a program with extended keys (reported not to submit on 3.7), or on the attached clients
 * (from 3.7 on `send-keys` is refused while a read-only client is attached), and it does not reach synchronized panes.
 * `byte` is `send-keys -H 0d`, `name` is `send-keys Enter`.
 */
export async function pressEnter(
  runner: Runner,
  pane: string,
  options: { way?: EnterWay; expect?: Expectation } = {},
): Promise<void> {
  requirePaneId(pane);
  const { way = 'paste', expect = {} } = options;
  const conditions = conditionsOf(expect);
  if (way === 'name') return sendKeyName(runner, pane, 'Enter', expect);
  if (way === 'byte') {
    return runGuarded(runner, pane, ['send-keys', '-H', '-t', pane, '0d'], [...ALONE, ...conditions]);
  }
  const buffer = newBufferName();
  await runner.run([['set-buffer', '-b', buffer, '--', '\r']]);
  try {
    await runGuarded(runner, pane, ['paste-buffer', '-d', '-b', buffer, '-t', pane], conditions);
  } catch (error) {
    await deleteBuffer(runner, buffer);
    throw error;
  }
}

/** Ends copy mode, if the pane is in it. */
export async function leaveMode(runner: Runner, pane: string): Promise<void> {
  requirePaneId(pane);
  await runner.run([['if-shell', '-F', '-t', pane, '#{pane_in_mode}', `send-keys -X -t ${pane} cancel`]]);
}

/** Cuts text into pieces between characters. */
export function* pieces(text: string, maxBytes: number): Generator<string> {
  let piece = '';
  let size = 0;
  for (const character of text) {
    const bytes = Buffer.byteLength(character);
    if (size + bytes > maxBytes) {
      yield piece;
      piece = '';
      size = 0;
    }
    piece += character;
    size += bytes;
  }
  if (piece !== '') yield piece;
}
