// `node scripts/picture.mjs`: runs the demo in a separate terminal and draws its screen as docs/demo.svg.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { root } from './setup.mjs';

const { Terminal } = createRequire(import.meta.url)('@xterm/headless');

const COLUMNS = 96;
const ROWS = 14;
const LONGEST_MS = 180_000;
const CELL = { width: 8.4, height: 19 };
const MARGIN = { left: 18, top: 44, bottom: 12 };
const INK = { text: '#d6deeb', back: '#0d1726', dim: '#7f8c9f' };
const PALETTE = ['#3b4252', '#ef6b73', '#7fd88f', '#f2c66d', '#82aaff', '#c792ea', '#5fd7d7', INK.text];

const place = mkdtempSync(path.join(tmpdir(), 'rouse-picture-'));
const tmux = (...words) =>
  execFileSync('tmux', ['-S', path.join(place, 'socket'), '-f', '/dev/null', ...words], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });

/** Every agent was woken, a message waits because its agent works, and a request was answered. */
const isTelling = (text) =>
  /[1-9]\d* answered/.test(text) &&
  /waits?: it is working/.test(text) &&
  /being woken|busy/.test(text) &&
  (text.match(/^\S+ .* [1-9]\d* +[1-9]\d* {3}/gm) ?? []).length === 3;

async function record() {
  const command = `TMPDIR=${place} exec ${path.join(root, 'bin', 'rouse')} demo`;
  tmux('new-session', '-d', '-x', String(COLUMNS), '-y', String(ROWS), '-s', 'demo', command);
  try {
    for (const end = Date.now() + LONGEST_MS; Date.now() < end; await pause(200)) {
      const text = tmux('capture-pane', '-p', '-t', 'demo');
      if (isTelling(text)) return tmux('capture-pane', '-e', '-p', '-t', 'demo');
    }
    throw new Error('the demo showed nothing worth a picture');
  } finally {
    tmux('send-keys', '-t', 'demo', 'C-c');
    while (isThere()) await pause(100);
  }
}

function isThere() {
  try {
    return tmux('list-sessions') !== '';
  } catch {
    return false;
  }
}

/** Runs of cells with the same style: position, text and style. */
async function runsOf(capture) {
  const terminal = new Terminal({ cols: COLUMNS, rows: ROWS + 1, allowProposedApi: true });
  await new Promise((done) => terminal.write(capture.replaceAll('\n', '\r\n'), done));
  return Array.from({ length: ROWS }, (_, row) => {
    const line = terminal.buffer.active.getLine(row);
    const runs = [];
    for (let column = 0; column < COLUMNS; column++) {
      const cell = line.getCell(column);
      const style = `${cell.isFgPalette() ? cell.getFgColor() : ''}|${cell.isBold() ? 'b' : ''}${cell.isDim() ? 'd' : ''}`;
      const last = runs.at(-1);
      if (last?.style === style) last.text += cell.getChars() || ' ';
      else runs.push({ column, style, text: cell.getChars() || ' ' });
    }
    return runs.filter(({ text }) => text.trim() !== '');
  });
}

const escaped = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

function drawn({ column, style, text }, row) {
  const [colour, weight] = style.split('|');
  const fill = weight.includes('d') ? INK.dim : (PALETTE[colour] ?? INK.text);
  const shown = text.trimEnd();
  const at = `x="${(MARGIN.left + column * CELL.width).toFixed(1)}" y="${MARGIN.top + row * CELL.height}"`;
  const length = `textLength="${(shown.length * CELL.width).toFixed(1)}"`;
  const bold = weight.includes('b') ? ' font-weight="bold"' : '';
  return `  <text ${at} ${length} fill="${fill}"${bold}>${escaped(shown)}</text>`;
}

function svg(rows) {
  const width = Math.ceil(2 * MARGIN.left + COLUMNS * CELL.width);
  const last = rows.findLastIndex((runs) => runs.length > 0);
  const height = MARGIN.top + last * CELL.height + MARGIN.bottom;
  const buttons = ['#ff5f57', '#febc2e', '#28c840'].map(
    (fill, i) => `  <circle cx="${20 + 18 * i}" cy="16" r="5.5" fill="${fill}"/>`,
  );
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="rouse demo">`,
    `  <rect width="100%" height="100%" rx="8" fill="${INK.back}"/>`,
    ...buttons,
    `  <g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="14" xml:space="preserve">`,
    ...rows.flatMap((runs, row) => runs.map((run) => drawn(run, row))),
    '  </g>',
    '</svg>',
    '',
  ].join('\n');
}

try {
  const target = path.join(root, 'docs', 'demo.svg');
  writeFileSync(target, svg(await runsOf(await record())));
  console.log(`wrote ${path.relative(process.cwd(), target)}`);
} finally {
  rmSync(place, { recursive: true, force: true });
}
