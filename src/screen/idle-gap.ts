import type { Detector } from './detector.ts';
import type { Composer } from './find-composer.ts';
import { type Row, rowAt, type Screen } from './model/screen.ts';

/**
 * Whether there are as many blank rows above the composer as in an idle tool. A working tool puts a row and a blank row
 * there, so even if its row is missing, the gap is wider. Rows that touch the composer are widgets.
 */
export function hasIdleGap(screen: Screen, detector: Detector, composer: Composer): boolean {
  const { idleGap } = composer.shape;
  if (!idleGap) return false;
  let y = composer.top - 1;
  while (y >= 0 && !rowAt(screen, y).blank) y--;
  const widgets = y;
  while (y >= 0 && rowAt(screen, y).blank) y--;
  const gap = widgets - y;
  // A block with a background ends with a blank row of that background.
  const used = idleGap.used + (hasBackground(rowAt(screen, y)) ? 1 : 0);
  return gap === used || (gap === idleGap.fresh && isFresh(screen, detector, composer));
}

/** Nothing was sent yet: sent prompts and tool actions have a background; a banner is coloured everywhere. */
function isFresh(screen: Screen, { transcript }: Detector, { top }: Composer): boolean {
  const above = screen.rows.slice(0, top);
  if (above.some(hasBackground)) return false;
  const shown = above.filter((row) => !row.blank);
  return shown.some((row) => transcript.banner?.test(row.text)) || (screen.styled && shown.every(isColoured));
}

function hasBackground(row: Row): boolean {
  return row.chars.some((char, x) => char.trim() !== '' && row.style(x).bg !== null);
}

function isColoured(row: Row): boolean {
  return row.chars.every((char, x) => char.trim() === '' || row.style(x).fg !== null);
}
