import { textColumns } from '../../base/index.ts';
import { clip, padded, shown, wrap, wrapWords } from './cells.ts';
import type { Border, Skin } from './skin.ts';
import type { Block, Live, View } from './view.ts';

const SGR_END = '\u001b[0m';
const DIM = '2';

type Body = Omit<Live, 'stream'>;

/** Of a longer prompt only the first rows are shown. */
const MAX_PROMPT_ROWS = 14;

export const paint = (sgr: string, text: string): string =>
  sgr === '' || text === '' ? text : `\u001b[${sgr}m${text}${SGR_END}`;

/** A finished block as rows, followed by a blank row. */
export function blockLines(block: Block, view: View): string[] {
  const { skin, columns } = view;
  if (block.kind === 'banner') return [...bannerLines(view), ''];
  if (block.kind === 'prompt') return [...promptLines(block.text, skin, columns), ''];
  const glyph = { answer: skin.answerGlyph, notice: '  ', shell: '! ' }[block.kind];
  const rows = wrapWords(shown(block.text), columns - textColumns(glyph) - 1);
  const style = block.kind === 'notice' ? DIM : '';
  return [
    ...rows.map((row, index) => paint(style, (index === 0 ? glyph : ' '.repeat(textColumns(glyph))) + row)),
    '',
  ];
}

function bannerLines(view: View): string[] {
  return view.skin.banner.map((line) =>
    paint(view.skin.accent, clip(line.replace('{cwd}', view.cwd), view.columns)),
  );
}

function promptLines(text: string, skin: Skin, columns: number): string[] {
  const inner = columns - sides(skin.historyBorder) - textColumns(skin.historyGlyph) - 1;
  const { rows } = wrap(shown(text), inner);
  const kept = rows.length > MAX_PROMPT_ROWS ? rows.slice(0, MAX_PROMPT_ROWS - 1) : rows;
  const lines = kept.map((row, index) => indent(skin.historyGlyph, row, index));
  if (kept.length < rows.length) lines.push(`  … +${rows.length - kept.length} lines`);
  return framed(lines, skin.historyBorder, columns, '');
}

/** The part below the finished conversation. It never exceeds the screen: the answer is cut first. */
export function liveLines(view: View): Live {
  const above = [...pendingLines(view), ...busyLines(view), ...noticeLines(view)];
  const body = view.dialog ? dialogLines(view) : composerLines(view);
  const lines = [...above, ...body.lines, ...(view.dialog ? [] : footerLines(view))];
  const cut = Math.max(0, lines.length - view.rows);
  const room = Math.max(0, view.rows - lines.length);
  const answer = answerLines(view);
  return {
    stream: answer.slice(Math.max(0, answer.length - room)),
    lines: lines.slice(cut),
    cursor: { row: Math.max(0, above.length + body.cursor.row - cut), column: body.cursor.column },
  };
}

function answerLines(view: View): string[] {
  if (!view.busy?.answer) return [];
  return blockLines({ id: 0, kind: 'answer', text: view.busy.answer }, view);
}

function pendingLines(view: View): string[] {
  const flat = view.pending.map((text) => shown(text).replace(/\n/g, ' '));
  return flat.map((text) => paint(DIM, clip(`  ↳ queued: ${text}`, view.columns - 1)));
}

function busyLines(view: View): string[] {
  const text = busyText(view, 'line');
  return text === undefined ? [] : [paint(view.skin.accent, text), ''];
}

function busyText(view: View, where: 'line' | 'footer'): string | undefined {
  const { busy, skin } = view;
  if (!busy || view.dialog || skin.busy.where !== where) return undefined;
  if (skin.busy.hides === 'draft' && view.draft.text !== '') return undefined;
  if (skin.busy.hides === 'streaming' && busy.answer !== '') return undefined;
  return clip(spun(skin.busy.text, view), view.columns);
}

/** Fills in the templates of a skin. */
export function spun(template: string, view: View): string {
  const frames = view.skin.busy.frames;
  return template
    .replace('{spin}', frames[(view.busy?.frame ?? 0) % frames.length] ?? '')
    .replace('{elapsed}', String(Math.floor((view.busy?.elapsedMs ?? 0) / 1000)))
    .replace('{name}', view.name)
    .replace('{cwd}', view.cwd);
}

function noticeLines(view: View): string[] {
  const lines = view.menu.map((entry, index) => `${index === 0 ? '  ❯ ' : '    '}${entry}`);
  if (view.banner !== undefined) lines.push(paint('33', clip(`⚠ ${view.banner}`, view.columns)));
  return lines;
}

function composerLines(view: View): Body {
  const { skin, columns } = view;
  const glyph = view.shellMode ? '! ' : skin.glyph;
  const inner = columns - sides(skin.border) - textColumns(glyph) - 1;
  const text = shown(view.draft.text);
  const cursorOffset = shown(view.draft.text.slice(0, view.draft.cursor)).length;
  const { rows, cursor } = wrap(text, inner, cursorOffset);
  const tallest = Math.max(1, Math.floor(view.rows / 3));
  const from = Math.max(0, Math.min(cursor.row - tallest + 1, rows.length - tallest));
  const visible = rows.slice(from, from + tallest);
  const at = { row: cursor.row - from, column: cursor.column };
  const drawn = visible.map((row, index) =>
    indent(glyph, withBlock(row, index === at.row ? at.column : -1, view), index),
  );
  if (text === '' && skin.placeholder !== '') drawn[0] = glyph + placeholder(view, inner);
  const top = skin.border.above.join('') === '' ? 0 : 1;
  return {
    lines: framed(drawn, skin.border, columns, skin.accent),
    cursor: {
      row: top + at.row,
      column: textColumns(skin.border.beside[0]) + textColumns(glyph) + at.column,
    },
  };
}

/** A tool that hides the terminal's cursor draws its own, as a reversed cell. */
function withBlock(row: string, column: number, view: View): string {
  if (view.skin.cursor === 'visible' || column < 0) return row;
  const before = clip(row, column);
  const [under = ' ', ...rest] = [...row.slice(before.length)];
  return `${before}${paint('7', under)}${rest.join('')}`;
}

function placeholder(view: View, width: number): string {
  const text = clip(view.skin.placeholder, width);
  const { placeholderColour, cursor } = view.skin;
  if (cursor === 'visible') return paint(placeholderColour, text);
  return paint('7', text[0] ?? ' ') + paint(placeholderColour, text.slice(1));
}

function dialogLines(view: View): Body {
  const { skin, columns, dialog } = view;
  if (!dialog) return { lines: [], cursor: { row: 0, column: 0 } };
  const options = dialog.options.map((option, index) => {
    const marker =
      index === dialog.selected ? skin.dialog.marker : ' '.repeat(textColumns(skin.dialog.marker));
    const text = `${marker} ${index + 1}. ${option.label}`;
    return index === dialog.selected ? paint(skin.accent, text) : text;
  });
  const detail = dialog.detail.flatMap((line) =>
    wrap(shown(line), columns - 6).rows.map((row) => `  ${row}`),
  );
  const head = [paint('1', clip(dialog.title, columns - 6)), ...detail.slice(0, view.rows - 8)];
  const tail = skin.dialog.hint === '' ? [] : ['', paint(DIM, skin.dialog.hint)];
  const body = [...head, '', ...(dialog.question === '' ? [] : [dialog.question]), ...options, ...tail];
  const lines = framed(body, skin.dialog.border, columns, skin.accent);
  return { lines, cursor: { row: lines.length - 1, column: columns - 1 } };
}

function footerLines(view: View): string[] {
  const text = view.hint ?? busyText(view, 'footer') ?? view.skin.footer[footerState(view)];
  return text === '' ? [] : [paint(DIM, clip(spun(text, view), view.columns))];
}

function footerState(view: View): 'ready' | 'busy' | 'draft' {
  if (view.draft.text !== '') return 'draft';
  return view.busy ? 'busy' : 'ready';
}

function framed(rows: string[], border: Border, columns: number, accent: string): string[] {
  const [left, right] = border.beside;
  const width = columns - sides(border);
  const edge = ([start, fill, end]: [string, string, string]): string[] => {
    if (start + fill + end === '') return [];
    const room = columns - textColumns(start) - textColumns(end);
    return [paint(accent, start + (fill === '' ? '' : fill.repeat(Math.max(0, room))) + end)];
  };
  const beside = rows.map((row) => {
    if (left + right === '') return row;
    return paint(accent, left) + (right === '' ? row : fillStyled(row, width)) + paint(accent, right);
  });
  return [...edge(border.above), ...beside, ...edge(border.below)];
}

/** Pads a row that contains colour codes, which have no width. */
function fillStyled(row: string, width: number): string {
  const bare = row.replace(/\u001b\[[\d;]*m/g, '');
  return textColumns(bare) >= width ? row : row + padded('', width - textColumns(bare));
}

const sides = (border: Border): number => textColumns(border.beside[0]) + textColumns(border.beside[1]);

const indent = (glyph: string, row: string, index: number): string =>
  (index === 0 ? glyph : ' '.repeat(textColumns(glyph))) + row;
