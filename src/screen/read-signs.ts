import type { Completion, Detector, Meaning, Sign } from './detector.ts';
import type { Composer } from './find-composer.ts';
import { type Row, rowAt, type Screen } from './model/screen.ts';
import { isHued, rgbOf, type Style } from './model/style.ts';

/** A row of the screen that has a meaning according to the detector. */
export interface SeenSign {
  means: Meaning;
  where: Sign['where'];
  row: string;
  weak: boolean;
}

/** The signs of the detector that the screen shows around this composer. */
export function readSigns(screen: Screen, detector: Detector, composer: Composer): SeenSign[] {
  const seen: SeenSign[] = [];
  for (const sign of detector.signs) {
    const row = regionRows(screen, detector, composer, sign).find((each) =>
      matches(each, sign, screen.styled),
    );
    if ((row === undefined) === (sign.absent ?? false))
      seen.push({
        means: sign.means,
        where: sign.where,
        row: sign.says ?? row?.text.trim() ?? '',
        weak: sign.weak ?? false,
      });
  }
  return seen;
}

/** The command that is marked as chosen in the tool's list; undefined if there is none, or more than one. */
export function chosenCommand(screen: Screen, detector: Detector, composer: Composer): string | undefined {
  const { completion } = detector;
  if (!completion) return undefined;
  const chosen = regionRows(screen, detector, composer, { where: completion.where, rows: MAX_ENTRIES })
    .map((row) => ({ row, name: completion.entry.exec(row.text)?.[1] }))
    .filter(({ row, name }) => name !== undefined && isChosen(row, name, completion));
  const name = chosen.length === 1 ? chosen[0]!.name! : undefined;
  return name === undefined || name.startsWith('/') ? name : `/${name}`;
}

const MAX_ENTRIES = 20;

function isChosen(row: Row, name: string, { chosenBy }: Completion): boolean {
  if (chosenBy === 'mark') return true;
  const { bg, bold } = row.style(row.chars.join('').indexOf(name));
  return chosenBy === 'bold' ? bold : isHued(bg);
}

/** The rows a sign looks at, nearest the composer first. */
function regionRows(
  screen: Screen,
  detector: Detector,
  composer: Composer,
  sign: Pick<Sign, 'where' | 'rows' | 'attached'>,
): Row[] {
  const rows = {
    above: () => screen.rows.slice(0, composer.top).reverse(),
    below: () => screen.rows.slice(composer.bottom + 1),
    inside: () => screen.rows.slice(composer.first, composer.last + 1),
    edge: () => screen.rows.slice(composer.top, composer.top + 1),
    turn: () => turnRows(screen, detector, composer).reverse(),
  }[sign.where]();
  const firstBlank = rows.findIndex((row) => row.blank);
  const near = sign.attached && firstBlank >= 0 ? rows.slice(0, firstBlank) : rows;
  const shown = near.filter((row) => !row.blank);
  return sign.rows === undefined ? shown : shown.slice(0, sign.rows);
}

/** The rows between the last sent prompt and the composer; all rows above the composer if no prompt is visible. */
export function turnRows(screen: Screen, detector: Detector, composer: Composer): Row[] {
  const start = lastPromptRow(screen, detector, composer.top);
  return screen.rows.slice(start === undefined ? 0 : start + 1, composer.top);
}

export function lastPromptRow(screen: Screen, detector: Detector, below: number): number | undefined {
  for (let y = below - 1; y >= 0; y--) if (detector.transcript.prompt.test(rowAt(screen, y).text)) return y;
  return undefined;
}

function matches(row: Row, sign: Sign, styled: boolean): boolean {
  if (!sign.row.test(row.text)) return false;
  if (!sign.colour || !styled) return true;
  if (sign.colour === 'hued_letter') return isHued(row.style(row.chars.findIndex(isLetter)).fg);
  const style = row.style(Math.max(0, row.indent()));
  if (sign.colour === 'set') return style.fg !== null && style.bg === null;
  return sign.colour === 'red' ? isRed(style) : isHued(style.fg);
}

export function isLetter(char: string): boolean {
  return /\p{L}/u.test(char);
}

function isRed({ fg }: Style): boolean {
  const rgb = rgbOf(fg);
  return rgb !== undefined && rgb[0] > 150 && rgb[0] - Math.max(rgb[1], rgb[2]) > 60;
}
