import type { Detector } from './detector.ts';
import { type Composer, findComposer } from './find-composer.ts';
import { type Dialog, endsInRunningTurn, findDialog, screenExcerpt } from './find-dialog.ts';
import { hasIdleGap } from './idle-gap.ts';
import { footerOf, withoutNumbers } from './learned-frame.ts';
import { findUsageLimit } from './limits/usage-limit.ts';
import { type Row, rowAt, type Screen } from './model/screen.ts';
import { chosenCommand, isLetter, lastPromptRow, readSigns, type SeenSign, turnRows } from './read-signs.ts';
import { mainPart, movedRight } from './sidebar.ts';
import { fingerprint } from './turn/stability.ts';

export type TitleVerdict = 'busy' | 'waiting' | 'idle' | 'neutral';

/** What one screen shows, before any other source is used. */
export interface Look {
  composer: Composer | undefined;
  signs: SeenSign[];
  /** The marked command in the tool's list of commands. */
  chosen: string | undefined;
  title: TitleVerdict;
  dialog: Dialog | undefined;
  limit: ReturnType<typeof findUsageLimit>;
  tooTall: boolean;
  crowded: boolean;
  /** Title or footer of a calibrated tool differ from those it had while idle. */
  strange: boolean;
  unsettled: boolean;
  /** A prompt, or a command of the tool itself, was sent and the tool shows no reaction yet. */
  unanswered: 'prompt' | 'command' | null;
  turnSignature: string;
  excerpt: string;
}

export const BLIND: Look = {
  composer: undefined,
  signs: [],
  chosen: undefined,
  title: 'neutral',
  dialog: undefined,
  limit: undefined,
  tooTall: false,
  crowded: false,
  strange: false,
  unsettled: false,
  unanswered: null,
  turnSignature: '',
  excerpt: '',
};

export function look(whole: Screen, detector: Detector, hostname?: string): Look {
  const { screen, offset } = mainPart(whole, detector);
  const composer = findComposer(screen, detector.composers);
  const title = titleVerdict(screen.title, detector, hostname);
  const excerpt = screenExcerpt(screen);
  if (!composer) {
    const dialog = endsInRunningTurn(screen) ? undefined : findDialog(screen);
    return { ...BLIND, title, dialog, excerpt };
  }
  const { shape, top } = composer;
  const signs = readSigns(screen, detector, composer);
  if (hasIdleGap(screen, detector, composer))
    signs.push({ means: 'idle', where: 'above', row: 'blank rows', weak: false });
  const form = signs.find(({ means }) => means === 'dialog');
  const clearance = shape.clearance ?? 0;
  return {
    composer: movedRight(composer, offset),
    signs,
    chosen: chosenCommand(screen, detector, composer),
    title,
    dialog: form && { kind: 'text_field', excerpt: form.row },
    limit: limitOn(screen, detector, composer),
    tooTall: shape.footerRows !== undefined && footerHeight(screen, composer) > shape.footerRows,
    crowded: screen.rows.slice(Math.max(0, top - clearance), top).some((row) => !row.blank),
    strange: isStrange(screen, detector, composer),
    unsettled: isUnsettled(screen, detector, composer),
    unanswered: unanswered(screen, detector, composer),
    turnSignature: turnSignature(screen, detector, composer),
    excerpt,
  };
}

/** Tools draw their notices in a colour; an answer has the terminal's own. */
function limitOn(screen: Screen, detector: Detector, composer: Composer): Look['limit'] {
  const turn = turnRows(screen, detector, composer);
  const texts = (rows: readonly Row[]): string[] => rows.map((row) => row.text);
  const isColoured = (row: Row): boolean => row.style(row.chars.findIndex(isLetter)).fg !== null;
  const isTools = (at: number): boolean => !screen.styled || isColoured(turn[at]!);
  return findUsageLimit(texts(turn), texts(screen.rows.slice(composer.bottom + 1)), isTools);
}

/** The height of the block below the composer; rows after a gap are left over from a taller frame. */
function footerHeight(screen: Screen, { shape, bottom }: Composer): number {
  const below = screen.rows.slice(bottom + 1).filter((row) => !shape.footerList?.test(row.text));
  const start = below.findIndex((row) => !row.blank);
  const length = below.slice(start).findIndex((row) => row.blank);
  if (start < 0) return 0;
  return length < 0 ? below.length - start : length;
}

/** A fingerprint of the last prompt and everything below it. */
function turnSignature(screen: Screen, detector: Detector, composer: Composer): string {
  const start = lastPromptRow(screen, detector, composer.top) ?? 0;
  const rows = screen.rows.slice(start, composer.top).filter((row) => !row.blank);
  const last = rows.at(-1);
  if (detector.transcript.hintAtRight && last && isAtRight(last, screen.columns)) rows.pop();
  return fingerprint(rows.map((row) => row.text.trim()).join('\n'));
}

function isAtRight(row: Row, columns: number): boolean {
  return row.text.length >= columns - 3 && row.indent() >= 8;
}

function titleVerdict(title: string, { title: signs }: Detector, hostname: string | undefined): TitleVerdict {
  if (title === hostname) return 'neutral';
  if (signs.waiting?.test(title)) return 'waiting';
  if (signs.busy?.test(title)) return 'busy';
  return signs.idle?.test(title) ? 'idle' : 'neutral';
}

/** Whether the last turn does not end with a sign of its end. Its prompt may be above the screen. */
function isUnsettled(screen: Screen, detector: Detector, composer: Composer): boolean {
  const { transcript } = detector;
  const above = screen.rows.slice(0, composer.top).filter((row) => !row.blank);
  const fresh = above.length === 0 || above.some((row) => transcript.banner?.test(row.text));
  const start = lastPromptRow(screen, detector, composer.top) ?? (fresh ? undefined : -1);
  if (!transcript.settled || start === undefined) return false;
  if (transcript.command?.test(rowAt(screen, start).text)) return false;
  const rows = screen.rows.slice(start + 1, composer.top).map((row) => row.text);
  const end = rows.findLastIndex((text) => transcript.settled!.test(text));
  return end < 0 || rows.slice(end + 1).some((text) => transcript.answered?.test(text));
}

function unanswered(screen: Screen, detector: Detector, composer: Composer): Look['unanswered'] {
  const { answered, command } = detector.transcript;
  const start = lastPromptRow(screen, detector, composer.top);
  if (start === undefined || !lacksBelow(screen, start, composer.top, answered)) return null;
  return command?.test(rowAt(screen, start).text) ? 'command' : 'prompt';
}

function lacksBelow(
  screen: Screen,
  start: number | undefined,
  end: number,
  wanted: RegExp | undefined,
): boolean {
  if (!wanted || start === undefined) return false;
  return !screen.rows.slice(start + 1, end).some((row) => wanted.test(row.text));
}

function isStrange(screen: Screen, { idleChrome }: Detector, composer: Composer): boolean {
  if (!idleChrome) return false;
  const footer = footerOf(screen, composer.bottom);
  const same =
    footer.length === idleChrome.footer.length && footer.every((row, at) => row === idleChrome.footer[at]);
  return !same || withoutNumbers(screen.title) !== idleChrome.title;
}
