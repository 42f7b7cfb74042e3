import type { Screen } from '../../src/screen/model/screen.ts';
import { parseSnapshot } from '../../src/screen/model/snapshot-parser.ts';
import { Seeded } from '../support/seeded.ts';

/** An invented tool for tests with its own look, drawn from a seed, and its screens. */

export type SkinState = 'ready' | 'draft' | 'tall_draft' | 'busy' | 'dialog' | 'menu' | 'marked';

interface Border {
  above: [string, string, string];
  side: [string, string];
  below: [string, string, string];
}

const NONE: Border = { above: ['', '', ''], side: ['', ''], below: ['', '', ''] };

const BORDERS: Border[] = [
  NONE,
  { above: ['─', '─', '─'], side: ['', ''], below: ['─', '─', '─'] },
  { above: ['━', '━', '━'], side: ['', ''], below: ['━', '━', '━'] },
  { above: ['╭', '─', '╮'], side: ['│', '│'], below: ['╰', '─', '╯'] },
  { above: ['┌', '─', '┐'], side: ['│', '│'], below: ['└', '─', '┘'] },
  { above: ['╔', '═', '╗'], side: ['║', '║'], below: ['╚', '═', '╝'] },
  { above: ['+', '-', '+'], side: ['|', '|'], below: ['+', '-', '+'] },
  { above: ['▄', '▄', '▄'], side: ['', ''], below: ['▀', '▀', '▀'] },
  { above: ['', '', ''], side: ['┃', ''], below: ['╹', '▀', '▀'] },
];

const GLYPHS = ['❯ ', '› ', '> ', '» ', '$> ', '▶ ', '∙ ', '', '⟩ ', 'λ ', 'you: '];
const PLACEHOLDERS = [
  '',
  '',
  'Type your message',
  'Ask anything',
  'What now?',
  '(say something)',
  'Nächster Schritt',
];
const GHOSTS = ['2', '38;5;240', '38;2;120;120;130', '90', '3'];
const SPINNERS = ['⠋', '⠹', '◐', '✻', '🌖', '*', '∗', '◴', '■', '[|]', '[-]', '…'];
const BUSY_TEXTS = [
  'Working… (3s)',
  'Thinking... (esc to cancel, 4s)',
  'denkt nach · 5 s',
  'Running 12s · esc to interrupt',
];
const FOOTERS = [
  '',
  '  ? for shortcuts',
  ' model-x  ~/project  main',
  ' tab agents   ctrl+p commands',
  '  12% context left',
];
const TITLES = ['', 'agent', 'Ready (demo)', '◇ idle', 'demo | agent'];
const WORDS = 'alpha beta gamma delta epsilon zeta eta theta iota kappa'.split(' ');
const MARKERS = ['❯', '›', '●', '▶', '→', '>'];

export interface Skin {
  columns: number;
  height: number;
  border: Border;
  glyph: string;
  placeholder: string;
  ghost: string;
  footer: string[];
  draftFooter: string[];
  title: string;
  busyTitle: string;
  busyWhere: 'line' | 'footer' | 'title';
  busyRow: string;
  hidesCursor: boolean;
  pinned: boolean;
  marker: string;
  numbered: boolean;
  accent: string;
}

export function randomSkin(seed: number): Skin {
  const random = new Seeded(seed);
  const next = (): number => random.next();
  const pick = <T>(list: readonly T[]): T => random.pick(list);
  const spinner = pick(SPINNERS);
  const title = pick(TITLES);
  const footer = [pick(FOOTERS), pick(['', '', ' second row'])].filter((row) => row !== '');
  const busyWhere = pick(['line', 'line', 'footer', 'title'] as const);
  return {
    columns: 50 + Math.floor(next() * 80),
    height: 18 + Math.floor(next() * 25),
    border: pick(BORDERS),
    glyph: pick(GLYPHS),
    placeholder: pick(PLACEHOLDERS),
    ghost: pick(GHOSTS),
    footer,
    draftFooter: next() < 0.5 ? footer : footer.map((row, at) => (at === 0 ? '  enter to send' : row)),
    title,
    busyTitle: busyWhere === 'title' ? `${spinner} working` : title,
    busyWhere,
    busyRow: `${spinner} ${pick(BUSY_TEXTS)}`,
    hidesCursor: next() < 0.5,
    pinned: next() < 0.6,
    marker: pick(MARKERS),
    numbered: next() < 0.7,
    accent: pick(['', '34', '38;5;110', '38;2;90;90;90']),
  };
}

const paint = (sgr: string, text: string): string =>
  sgr === '' || text === '' ? text : `\u001b[${sgr}m${text}\u001b[0m`;
const spaces = (count: number): string => ' '.repeat(Math.max(0, count));

/** The screen of this skin in this state; `turns` is the number of turns above. */
export function drawSkin(skin: Skin, state: SkinState, turns: number, seed: number, marker = ''): Screen {
  const random = new Seeded(seed);
  const next = (): number => random.next();
  const say = (): string =>
    Array.from({ length: 3 + Math.floor(next() * 5) }, () => WORDS[Math.floor(next() * 10)]).join(' ');
  const history = ['', 'agent v0', ''];
  for (let turn = 0; turn < turns; turn++)
    history.push(`${skin.glyph || '# '}${say()}`, '', `  ${say()}`, '');
  const live: string[] = [];
  if (state === 'busy' && skin.busyWhere === 'line') live.push(paint(skin.accent, skin.busyRow), '');
  if (state === 'menu') live.push('  ❯ /alpha    first command', '    /beta     second command');
  const body = state === 'dialog' ? drawDialog(skin, say) : drawComposer(skin, state, marker, say);
  const footer = footerOf(skin, state);
  const room = skin.height - live.length - body.rows.length - footer.length;
  const shown = history.slice(-room);
  const gap = skin.pinned ? Array<string>(Math.max(0, room - shown.length)).fill('') : [];
  const rows = [...shown, ...gap, ...live, ...body.rows, ...footer];
  const top = shown.length + gap.length + live.length;
  return parseSnapshot(`\u001b[1m\u001b[0m${rows.join('\n')}`, {
    columns: skin.columns,
    height: skin.height,
    cursor: { x: body.x, y: top + body.y, visible: state === 'dialog' ? false : !skin.hidesCursor },
    title: state === 'busy' ? skin.busyTitle : skin.title,
  });
}

function footerOf(skin: Skin, state: SkinState): string[] {
  if (state === 'dialog') return [];
  if (state === 'busy' && skin.busyWhere === 'footer') return [` ${skin.busyRow}`, ...skin.footer.slice(1)];
  return state === 'draft' || state === 'tall_draft' || state === 'marked' ? skin.draftFooter : skin.footer;
}

interface Body {
  rows: string[];
  x: number;
  y: number;
}

function drawComposer(skin: Skin, state: SkinState, marker: string, say: () => string): Body {
  const { border, glyph } = skin;
  const indent = spaces([...glyph].length);
  const lines = { draft: [say()], tall_draft: [say(), say(), say()], marked: [marker], menu: ['/'] }[
    state as string
  ] ?? [''];
  const side = border.side[0] === '' ? '' : `${border.side[0]} `;
  const rows: string[] = [];
  const edge = ([left, fill, right]: [string, string, string]): void => {
    if (left !== '') rows.push(paint(skin.accent, left + fill.repeat(skin.columns - 2) + right));
  };
  edge(border.above);
  for (const [index, line] of lines.entries()) {
    const start = index === 0 ? glyph : indent;
    const empty = line === '' && skin.placeholder !== '' && (state === 'ready' || state === 'busy');
    const width = [...side, ...start, ...(empty ? skin.placeholder : line)].length;
    const text = empty
      ? ghostText(skin)
      : line + (skin.hidesCursor && index === lines.length - 1 ? paint('7', ' ') : '');
    const block = !empty && skin.hidesCursor && index === lines.length - 1 ? 1 : 0;
    const tail =
      border.side[1] === ''
        ? ''
        : spaces(skin.columns - 2 - width - block) + paint(skin.accent, ` ${border.side[1]}`);
    rows.push(paint(skin.accent, side) + start + text + tail);
  }
  const top = border.above[0] === '' ? 0 : 1;
  edge(border.below);
  const last = lines.at(-1)!;
  return { rows, x: [...side].length + [...glyph].length + [...last].length, y: top + lines.length - 1 };
}

function ghostText({ placeholder, ghost, hidesCursor }: Skin): string {
  return hidesCursor
    ? paint('7', placeholder[0]!) + paint(ghost, placeholder.slice(1))
    : paint(ghost, placeholder);
}

function drawDialog(skin: Skin, say: () => string): Body {
  const options = ['Yes', 'Yes, always', 'No'].map((label, index) => {
    const mark = index === 0 ? skin.marker : ' ';
    return skin.numbered ? ` ${mark} ${index + 1}. ${label}` : ` ${mark} ${label}`;
  });
  const hint = skin.numbered ? [] : ['', ' Enter to confirm · Esc to cancel'];
  const rows = ['─'.repeat(skin.columns), ` May I ${say()}?`, '', ...options, ...hint];
  return { rows, x: 1, y: 3 };
}
