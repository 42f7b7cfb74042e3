import { type Row, type Screen, screenText } from './model/screen.ts';

export type DialogKind = 'permission' | 'trust' | 'login' | 'question' | 'picker' | 'text_field' | 'unknown';

export interface Dialog {
  kind: DialogKind;
  /** What it says, for people. */
  excerpt: string;
}

/** Keys and what they do: the row every dialog has in some form. */
export const KEY_HINT =
  /\b(enter|return|esc|escape|tab|space|ctrl[+-]\w)\b[^.]{0,24}?\b(confirm|cancel|close|dismiss|back|select|submit|save|exit|choose|accept|decline|continue|toggle|insert|clear|apply|resume|interrupt|navigate)\b|[↵⏎↑↓⇆↑/↓]{1,3}\s*(to\s)?\s*(select|navigate|confirm|choose|browse)/i;

/** The head of a dialog that floats over the screen: its title, and at its right the key that closes it. */
const FLOATING_HEAD = /\S\s{3,}esc(\s{2,}|$)/;

const CHOICE = /^[\s│┃|║]*(?:[❯›»>●▶→▸]\s*)?(\d{1,2})[.)]\s+\S/u;
const CHOSEN = /^[\s│┃|║]*[❯›»>●▶→▸△]\s*\S/u;
const EDGE = /^[\s│]*[╭┌╔▔─━═]{8}/u;
const TALLEST = 40;
const HEAD_ROWS = 16;
const EXCERPT_CHARS = 600;

/**
 * What a screen without a composer asks, judged by shape: a list of choices with one marked, or a row of keys to
 * press. The kind is a name for people and is taken from words; nothing is decided by it.
 */
export function findDialog(screen: Screen): Dialog | undefined {
  const rows = screen.rows.filter((row) => !row.blank).slice(-TALLEST);
  const hint = rows.findLastIndex((row) => KEY_HINT.test(row.text));
  const choices = lastChoices(rows);
  const chosen = rows.findLastIndex((row) => CHOSEN.test(row.text));
  const listed = choices.count >= 2 && chosen >= 0;
  const hinted = hint >= 0 && (choices.count >= 2 || chosen >= 0 || hint >= rows.length - 4);
  const floating = rows.findIndex((row) => FLOATING_HEAD.test(row.text));
  if (!listed && !hinted && floating < 0) return undefined;
  const focus =
    choices.count >= 2 ? choices.start : chosen >= 0 && chosen < hint ? chosen : Math.max(hint, floating + 1);
  const start = startOf(rows, focus);
  const head = excerptOf(rows.slice(start, focus));
  return { kind: kindOf(head, excerptOf(rows.slice(focus))), excerpt: excerptOf(rows.slice(start)) };
}

/** The last run of rows numbered 1, 2, 3 …; other rows may stand between them. */
function lastChoices(rows: Row[]): { start: number; count: number } {
  let run = { start: 0, count: 0 };
  for (const [at, row] of rows.entries()) {
    const number = Number(CHOICE.exec(row.text)?.[1] ?? Number.NaN);
    if (number === 1) run = { start: at, count: 1 };
    else if (number === run.count + 1) run.count++;
  }
  return run;
}

/** A dialog begins below the nearest edge above its choices, or a few rows above them. */
function startOf(rows: Row[], focus: number): number {
  for (let at = focus - 1; at >= Math.max(0, focus - HEAD_ROWS); at--)
    if (EDGE.test(rows[at]!.text)) return at + 1;
  return Math.max(0, focus - 4);
}

function excerptOf(rows: Row[]): string {
  const text = rows
    .map((row) =>
      row.text
        .replace(/[─━═╌│┃║╭╮╰╯┌┐└┘▔▄▀]+/g, ' ')
        .replace(/\s+/g, ' ')
        .trim(),
    )
    .filter((line) => line !== '')
    .join('\n');
  return text.length > EXCERPT_CHARS ? `…${text.slice(-EXCERPT_CHARS)}` : text;
}

const ASKS_LEAVE =
  /\b(allow|approve|permission required|proceed|deny|reject|don't ask again|run (this|the following) command|apply this change|do you want to)\b/i;

function kindOf(head: string, choices: string): DialogKind {
  const all = `${head}\n${choices}`;
  if (/\btrust\b/i.test(all)) return 'trust';
  if (/\b(sign in|log ?in\b|api key|authenticat)/i.test(head) || /\b(sign|log) in with\b/i.test(choices))
    return 'login';
  if (ASKS_LEAVE.test(all)) return 'permission';
  if (/\?\s*$/m.test(head)) return 'question';
  if (
    /\b(select|choose|settings?|models?|themes?|sessions?|config|search|filter|effort|skills?)\b/i.test(head)
  )
    return 'picker';
  return 'unknown';
}

/** The last rows of a screen nobody recognised, for the log and for people. */
export function screenExcerpt(screen: Screen): string {
  return screenText(screen).slice(-EXCERPT_CHARS);
}
