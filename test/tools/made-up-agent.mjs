#!/usr/bin/env node
// The program of made-up-tool.ts: a prompt line, a short turn, and a question on request. What it receives
// is written to the file that MADEUP_HEARD names.
import { appendFileSync, readFileSync } from 'node:fs';

const heard = (text) => appendFileSync(process.env.MADEUP_HEARD, `${JSON.stringify({ text, args })}\n`);
const args = process.argv.slice(2);

if (args.includes('--once')) {
  const chat = args.includes('--chat') ? args[args.indexOf('--chat') + 1] : 'chat-1';
  const text = readFileSync(0, 'utf8');
  heard(text);
  for (const event of [
    { said: 'begin', chat },
    { said: 'answer', text: `I heard: ${text}` },
    { said: 'end' },
  ])
    console.log(JSON.stringify(event));
  process.exit(0);
}

const rows = [];
let draft = '';
let state = 'idle';
let kept = '';

const shown = () => (draft.includes('\n') ? `[${draft.split('\n').length} lines]` : draft);
function draw() {
  const line = '─'.repeat(process.stdout.columns);
  const asks = ['Allow this command?', '❯ 1. Yes', '  2. No', '', 'Enter to confirm · Esc to cancel'];
  const below =
    state === 'asks'
      ? asks
      : [...(state === 'busy' ? ['~ pondering'] : []), line, `» ${shown()}`, line, '  madeup'];
  const screen = [...rows.slice(-20), '', ...below].join('\r\n');
  const back = state === 'asks' ? '' : `\x1b[2A\r\x1b[${2 + shown().length}C`;
  process.stdout.write(`\x1b[H\x1b[2J${screen}${back}`);
}

function submit() {
  const text = draft;
  draft = '';
  if (text === '') return;
  heard(text);
  rows.push(`» ${text.split('\n')[0]}`);
  state = text.startsWith('ask') ? 'asks' : 'busy';
  if (state === 'busy') setTimeout(() => end('= done'), text.startsWith('long') ? 60_000 : 300);
}

function end(row) {
  if (state === 'idle') return;
  rows.push(row);
  state = 'idle';
  draw();
}

process.stdin.setRawMode(true);
process.stdout.write('\x1b[?1049h\x1b[?2004h');
process.stdin.on('data', (bytes) => {
  kept += bytes;
  const open = kept.indexOf('\x1b[200~');
  if (open >= 0 && !kept.includes('\x1b[201~')) return;
  const keys = kept.split(/(\x1b\[200~[\s\S]*?\x1b\[201~)/);
  kept = '';
  for (const part of keys) {
    if (part.startsWith('\x1b[200~')) draft += part.slice(6, -6).replaceAll('\r', '\n');
    else for (const key of part) press(key);
  }
  draw();
});

function press(key) {
  if (key === '\x1b') return end('! stopped');
  if (state === 'asks') return key === '\r' ? end('= allowed') : undefined;
  if (key === '\r') submit();
  else if (key === '\x15') draft = '';
  else if (key === '\x7f') draft = draft.slice(0, -1);
  else draft += key;
}

draw();
