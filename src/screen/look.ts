import type { Detector } from './detector.ts';
import { type Composer, findComposer } from './find-composer.ts';
import { type Dialog, findDialog, screenExcerpt } from './find-dialog.ts';
import { footerOf, withoutNumbers } from './learned-frame.ts';
import { lastPromptRow, readSigns, type SeenSign, turnRows } from './read-signs.ts';
import { rowAt, type Screen } from './screen.ts';
import { fingerprint } from './stability.ts';
import { findUsageLimit } from './usage-limit.ts';

export type TitleVerdict = 'busy' | 'waiting' | 'idle' | 'neutral';

/** What is to be seen on one screen, before anybody else is asked. */
export interface Look {
  composer: Composer | undefined;
  signs: SeenSign[];
  title: TitleVerdict;
  dialog: Dialog | undefined;
  limit: ReturnType<typeof findUsageLimit>;
  tooTall: boolean;
  crowded: boolean;
  /** Title or footer of a calibrated tool read otherwise than while it was idle. */
  strange: boolean;
  unsettled: boolean;
  /** A prompt was sent and the tool shows nothing of it yet. */
  unanswered: boolean;
  turnSignature: string;
  excerpt: string;
}

export const BLIND: Look = {
  composer: undefined,
  signs: [],
  title: 'neutral',
  dialog: undefined,
  limit: undefined,
  tooTall: false,
  crowded: false,
  strange: false,
  unsettled: false,
  unanswered: false,
  turnSignature: '',
  excerpt: '',
};

export function look(screen: Screen, detector: Detector): Look {
  const composer = findComposer(screen, detector.composers);
  const title = titleVerdict(screen.title, detector);
  const excerpt = screenExcerpt(screen);
  if (!composer) return { ...BLIND, title, dialog: findDialog(screen), excerpt };
  const { shape, top, bottom } = composer;
  const signs = readSigns(screen, detector, composer);
  const form = signs.find(({ means }) => means === 'dialog');
  const rowsBelow = screen.rows.slice(bottom + 1).filter((row) => !row.blank).length;
  const around = [...turnRows(screen, detector, composer), ...screen.rows.slice(bottom + 1)];
  const clearance = shape.clearance ?? 0;
  return {
    composer,
    signs,
    title,
    dialog: form && { kind: 'text_field', excerpt: form.row },
    limit: findUsageLimit(around.map((row) => row.text)),
    tooTall: shape.footerRows !== undefined && rowsBelow > shape.footerRows,
    crowded: screen.rows.slice(Math.max(0, top - clearance), top).some((row) => !row.blank),
    strange: isStrange(screen, detector, composer),
    unsettled: lacks(screen, detector, composer, detector.transcript.settled) && title !== 'idle',
    unanswered: lacks(screen, detector, composer, detector.transcript.answered),
    turnSignature: turnSignature(screen, detector, composer),
    excerpt,
  };
}

/** The last prompt and all that stands below it, as a fingerprint. */
function turnSignature(screen: Screen, detector: Detector, composer: Composer): string {
  const start = lastPromptRow(screen, detector, composer.top) ?? 0;
  const rows = screen.rows.slice(start, composer.top).map((row) => row.text.trim());
  return fingerprint(rows.filter((row) => row !== '').join('\n'));
}

function titleVerdict(title: string, { title: signs }: Detector): TitleVerdict {
  if (signs.waiting?.test(title)) return 'waiting';
  if (signs.busy?.test(title)) return 'busy';
  return signs.idle?.test(title) ? 'idle' : 'neutral';
}

/** Whether a prompt was sent and no row like this stands below it. */
function lacks(screen: Screen, detector: Detector, composer: Composer, wanted: RegExp | undefined): boolean {
  if (!wanted) return false;
  const start = lastPromptRow(screen, detector, composer.top);
  if (start === undefined) return false;
  for (let y = start + 1; y < composer.top; y++) if (wanted.test(rowAt(screen, y).text)) return false;
  return true;
}

function isStrange(screen: Screen, { idleChrome }: Detector, composer: Composer): boolean {
  if (!idleChrome) return false;
  const footer = footerOf(screen, composer.bottom);
  const same =
    footer.length === idleChrome.footer.length && footer.every((row, at) => row === idleChrome.footer[at]);
  return !same || withoutNumbers(screen.title) !== idleChrome.title;
}
