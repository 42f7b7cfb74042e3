import { invalid, nearest } from '../base/index.ts';

/** Every key a sequence may name. The spelling is tmux's own, so a name is passed on as it is. */
export const KEY_NAMES = [
  'BSpace',
  'C-c',
  'C-d',
  'C-u',
  'C-z',
  'Down',
  'Enter',
  'Escape',
  'Left',
  'Right',
  'Tab',
  'Up',
] as const;

export type KeyName = (typeof KEY_NAMES)[number];

export type KeySegment = { kind: 'literal'; text: string } | { kind: 'key'; key: KeyName };

// A token is exact: `<[`, a name without white space or brackets, `]>`. Everything else is text.
const TOKEN = /<\[([^\s<>[\]]+)\]>/gu;
const ENTER_TOKEN = '<[Enter]>';

/**
 * Splits a sequence into what to type, from left to right. A well-formed token with an unknown name, and a control
 * character other than a tab or a line end, is refused before anything is sent. Any other text stays text.
 */
export function parseKeySequence(sequence: string, escapeSpecialKeys = false): KeySegment[] {
  if (sequence === '') throw invalid('sequence must not be empty');
  refuseControls(sequence);
  if (escapeSpecialKeys) return [{ kind: 'literal', text: sequence }];
  const segments: KeySegment[] = [];
  let end = 0;
  for (const match of sequence.matchAll(TOKEN)) {
    if (match.index > end) segments.push({ kind: 'literal', text: sequence.slice(end, match.index) });
    segments.push({ kind: 'key', key: requireKeyName(match[1]!) });
    end = match.index + match[0].length;
  }
  if (end < sequence.length) segments.push({ kind: 'literal', text: sequence.slice(end) });
  return segments;
}

/** Control characters are never sent as text. Checked before the first part is typed, not in the middle. */
function refuseControls(sequence: string): void {
  const found = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/.exec(sequence);
  if (!found) return;
  const name = `U+${found[0].charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`;
  throw invalid(`sequence holds the control character ${name}; name the key instead, such as "<[Escape]>"`);
}

function requireKeyName(name: string): KeyName {
  if ((KEY_NAMES as readonly string[]).includes(name)) return name as KeyName;
  const shown = name.length > 40 ? `${name.slice(0, 40)}…` : name;
  const [close] = nearest(shown, KEY_NAMES, 1);
  throw invalid(
    `sequence holds the unknown key token "<[${shown}]>"; supported keys are ${KEY_NAMES.join(', ')}`,
    {
      hint: close
        ? `Did you mean "<[${close}]>"? Key names are case-sensitive.`
        : 'To send it as text, set escape_special_keys.',
    },
  );
}

/** `ensure_enter` of a reminder: however many Enter tokens end the sequence, afterwards exactly one does. */
export function ensureTrailingEnter(sequence: string): string {
  let end = sequence.length;
  while (sequence.endsWith(ENTER_TOKEN, end)) end -= ENTER_TOKEN.length;
  return sequence.slice(0, end) + ENTER_TOKEN;
}
