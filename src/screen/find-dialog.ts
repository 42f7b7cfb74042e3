import { type Row, type Screen, screenText } from './model/screen.ts';

export type DialogKind =
  | 'permission'
  | 'trust'
  | 'login'
  | 'api_key'
  | 'update'
  | 'first_run'
  | 'question'
  | 'picker'
  | 'text_field'
  | 'unknown';

export interface Dialog {
  kind: DialogKind;
  /** Its text, for people. */
  excerpt: string;
}

/** The row of keys and their effects that every dialog has in some form. */
export const KEY_HINT =
  /\b(enter|return|esc|escape|tab|space|ctrl[+-]\w)\b[^.]{0,24}?\b(confirm|cancel|close|dismiss|back|select|submit|save|exit|choose|accept|decline|continue|toggle|insert|clear|apply|resume|interrupt|navigate)\b|[↵⏎↑↓⇆↑/↓]{1,3}\s*(to\s)?\s*(select|navigate|confirm|choose|browse)/i;

/** The row of a running turn names a key too, but counts time: `(12s · esc to cancel)`. */
const RUNNING = /\((?=[^)]*\b\d+s\b)[^)]*\besc to (cancel|interrupt)\b[^)]*\)/;

/** The head of a floating dialog: its title, and the key that closes it at the right. */
const FLOATING_HEAD = /\S\s{3,}esc(\s{2,}|$)/;

const CHOICE = /^[\s│┃|║]*(?:[❯›»>●▶→▸]\s*)?(\d{1,2})[.)]\s+\S/u;
const CHOSEN = /^[\s│┃|║]*[❯›»>●▶→▸△]\s*\S/u;
const CORNER = /^\s*[╭┌╔]/u;
const EDGE = /^[\s│]*[╭┌╔▔─━═]{8}/u;
const TALLEST = 40;
const HEAD_ROWS = 16;
const EXCERPT_CHARS = 600;

/**
 * Finds the dialog on a screen without a composer by its shape: a list of choices with one marked, or a row of keys. What
 * a tool asks before its first prompt may have neither. The kind is a name for people, taken from words; nothing is
 * decided by it.
 */
export function findDialog(screen: Screen): Dialog | undefined {
  const found = locate(screen);
  if (!found) return undefined;
  const { rows, start, focus } = found;
  const head = excerptOf(rows.slice(start, focus));
  return { kind: kindOf(head, excerptOf(rows.slice(focus))), excerpt: excerptOf(rows.slice(start)) };
}

/**
 * Whether the row of a running turn is the last on the screen: its composer is not drawn yet. Such a turn asks for nothing,
 * whatever a greeting above it mentions.
 */
export function endsInRunningTurn(screen: Screen): boolean {
  return RUNNING.test(screen.rows.findLast((row) => !row.blank)?.text ?? '');
}

interface Located {
  rows: Row[];
  /** Where the dialog begins, and where its choices do. */
  start: number;
  focus: number;
}

function locate(screen: Screen): Located | undefined {
  const rows = screen.rows.filter((row) => !row.blank).slice(-TALLEST);
  const hint = rows.findLastIndex((row) => KEY_HINT.test(row.text));
  const choices = lastChoices(rows);
  const chosen = rows.findLastIndex((row) => CHOSEN.test(row.text));
  const listed = choices.count >= 2 && chosen >= 0;
  const hinted = hint >= 0 && (choices.count >= 2 || chosen >= 0 || hint >= rows.length - 4);
  const floating = rows.findIndex((row) => FLOATING_HEAD.test(row.text));
  const above = chosen >= 0 ? excerptOf(rows.slice(startOf(rows, chosen), chosen)) : '';
  // Text is taken at the cursor, so this is a composer below a greeting that mentions the login.
  const takesText =
    chosen >= 0 && screen.cursor !== undefined && rows[chosen] === screen.rows[screen.cursor.y];
  const named = chosen >= 0 && (FIRST_RUN.test(above) || (!takesText && LOGIN.test(above)));
  if (!listed && !hinted && !named && floating < 0) return undefined;
  const box = rows.slice(0, Math.max(hint, 0)).findLastIndex((row) => CORNER.test(row.text));
  const focus =
    choices.count >= 2 && box <= choices.end
      ? choices.start
      : chosen >= 0 && (named || chosen < hint)
        ? chosen
        : Math.max(hint, floating + 1);
  return { rows, start: startOf(rows, focus), focus };
}

/** A choice of a dialog: its key and its label. */
export interface DialogChoice {
  key: string;
  label: string;
  selected: boolean;
}

export interface AskedDialog {
  /** The rows of the dialog; the whole screen if its edges are not found. */
  lines: string[];
  choices: DialogChoice[];
}

const CHOICE_LABEL = /^[\s│┃|║]*(?:[❯›»>●▶→▸]\s*)?(\d{1,2})[.)]\s+(.*?)[\s│┃|║]*$/u;

/**
 * The text of a dialog and the keys that answer it: its numbers if it has them, Enter for the marked choice, otherwise the
 * arrows. For a person who chooses; nothing here presses a key.
 */
export function readDialog(screen: Screen): AskedDialog {
  const found = locate(screen);
  const rows = found
    ? found.rows.slice(found.start)
    : screen.rows.filter((row) => !row.blank).slice(-TALLEST);
  const lines = rows.map((row) => row.text.trimEnd());
  const numbered = found ? numberedChoices(found.rows.slice(found.focus)) : [];
  const chosen = rows.find((row) => CHOSEN.test(row.text));
  const marked = chosen && (CHOICE_LABEL.exec(chosen.text)?.[2] ?? excerptOf([chosen]));
  return {
    lines,
    choices: [
      ...numbered,
      ...(numbered.length === 0 && chosen
        ? [
            { key: 'Up', label: 'the choice above', selected: false },
            { key: 'Down', label: 'the choice below', selected: false },
          ]
        : []),
      ...(marked === undefined ? [] : [{ key: 'Enter', label: marked, selected: false }]),
      { key: 'Escape', label: 'Escape', selected: false },
    ],
  };
}

function numberedChoices(rows: Row[]): DialogChoice[] {
  const { start, count } = lastChoices(rows);
  if (count < 2) return [];
  return rows.slice(start).flatMap((row) => {
    const [, key = '', label = ''] = CHOICE_LABEL.exec(row.text) ?? [];
    return Number(key) >= 1 && Number(key) <= Math.min(count, 9)
      ? [{ key, label, selected: CHOSEN.test(row.text) }]
      : [];
  });
}

/** The last run of rows numbered 1, 2, 3 …; other rows may be between them. */
function lastChoices(rows: Row[]): { start: number; end: number; count: number } {
  let run = { start: 0, end: 0, count: 0 };
  for (const [at, row] of rows.entries()) {
    const number = Number(CHOICE.exec(row.text)?.[1] ?? Number.NaN);
    if (number === 1) run = { start: at, end: at, count: 1 };
    else if (number === run.count + 1) run = { start: run.start, end: at, count: number };
  }
  return run;
}

/** The row below the nearest edge above the choices, or a few rows above them. */
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

/** Questions of tools before their first prompt: theme, usage statistics and the like. */
const FIRST_RUN =
  /\b(let'?s get started|choose the (text style|theme)|welcome to (claude code|gemini cli|qwen code|opencode|pi)\b[\s\S]*\b(theme|style|set ?up|get started)|terms of (service|use)|usage statistics|security notes|step \d+\/\d+)\b/i;

const LOGIN = /\b(sign in|log ?in\b|api key|authenticat|select a platform|connect a provider|access method)/i;

function kindOf(head: string, choices: string): DialogKind {
  const all = `${head}\n${choices}`;
  if (FIRST_RUN.test(head)) return 'first_run';
  if (/\btrust\b/i.test(all)) return 'trust';
  if (/\b(detected|use) (a custom|this) api key\b/i.test(head)) return 'api_key';
  if (/\b(update|new version) (is )?available\b/i.test(head) || /\bupdate now\b/i.test(choices))
    return 'update';
  if (LOGIN.test(head) || /\b(sign|log) in with\b/i.test(choices)) return 'login';
  if (ASKS_LEAVE.test(all)) return 'permission';
  if (/\?\s*$/m.test(head)) return 'question';
  if (
    /\b(select|choose|settings?|models?|themes?|sessions?|config|search|filter|effort|skills?)\b/i.test(head)
  )
    return 'picker';
  return 'unknown';
}

/** The last rows of an unrecognised screen, for the log and for people. */
export function screenExcerpt(screen: Screen): string {
  return screenText(screen).slice(-EXCERPT_CHARS);
}
