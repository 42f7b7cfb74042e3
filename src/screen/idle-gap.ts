import type { Detector } from './detector.ts';
import type { Composer } from './find-composer.ts';
import { type Row, rowAt, type Screen } from './model/screen.ts';

/**
 * Whether as many blank rows stand above the composer as in an idle tool. One that works puts a row there with a
 * blank one of its own, so even without that row the gap is wider. Rows that touch the composer are widgets.
 */
export function hasIdleGap(screen: Screen, detector: Detector, composer: Composer): boolean {
  const { idleGap } = composer.shape;
  if (!idleGap) return false;
  let y = composer.top - 1;
  while (y >= 0 && !rowAt(screen, y).blank) y--;
  const widgets = y;
  while (y >= 0 && rowAt(screen, y).blank) y--;
  const gap = widgets - y;
  // What has a background ends with a blank row of it.
  const used = idleGap.used + (hasBackground(rowAt(screen, y)) ? 1 : 0);
  return gap === used || (gap === idleGap.fresh && isFresh(screen, detector, composer));
}

/** Nothing was sent yet: what a person sends, and what tools do, has a background; a banner has colours throughout. */
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
