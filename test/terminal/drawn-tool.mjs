// A terminal program that draws like claude 2.0.50: it hides the terminal's cursor, leaves it below the composer, and draws
// its own. It appends its input to the file in the first argument and reports its start in the folder in the second one, as
// claude's hooks do. Further arguments choose habits:
//   cursor     puts the terminal's cursor at its prompt
//   apart      with its cursor at its prompt, shows what is typed in a row of its own
//   keeps      takes no Backspace
//   blank      draws nothing
import * as fs from 'node:fs';
import * as path from 'node:path';

const [file, signals, ...habits] = process.argv.slice(2);
const has = (habit) => habits.includes(habit);
const rule = '─'.repeat(80);
let draft = '';

function draw() {
  const shown = has('apart') ? '' : draft;
  const rows = [' Claude Code v2.0.50', '', rule, `> ${shown}\x1b[7m \x1b[0m`, rule];
  if (has('apart')) rows.push(`  ${draft}`);
  else if (!has('cursor')) rows.push('                      Thinking on (tab to toggle)');
  const cursor =
    has('cursor') || has('apart') ? `\x1b[4;${3 + shown.length}H\x1b[?25h` : '\x1b[6;1H\x1b[?25l';
  process.stdout.write(`\x1b[H\x1b[J${rows.join('\r\n')}${cursor}`);
}

process.stdin.setRawMode(true);
process.stdin.setEncoding('utf8');
process.stdin.on('data', (text) => {
  fs.appendFileSync(file, text);
  for (const char of text) {
    if (char === '\x7f') draft = has('keeps') ? draft : draft.slice(0, -1);
    else draft += char;
  }
  draw();
});
fs.writeFileSync(file, '');
if (!has('blank')) draw();
const at = `${Date.now()}000000`;
const report = path.join(signals, `${at}-${process.pid}.json`);
fs.writeFileSync(`${report}.tmp`, JSON.stringify({ event: 'SessionStart', at, payload: {} }));
fs.renameSync(`${report}.tmp`, report);
