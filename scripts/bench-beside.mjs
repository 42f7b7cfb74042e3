// Runs a benchmark of this tree and the same benchmark of an older commit in turns, and compares the lines that both print:
// `npm run bench -- NAME --beside COMMIT [--turns 3]`. Other load affects both, so only the ratios mean something.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { root } from './setup.mjs';

/** The first time or rate of a line. */
const VALUE = /(\d[\d.]*)\s*(\/s|ms\b)/;

/** @returns a key for each line that has a value, and that value. A key that occurs again is numbered. */
export function valuesIn(output) {
  const values = new Map();
  const seen = new Map();
  for (const line of output.split('\n')) {
    const [, number, unit] = VALUE.exec(line) ?? [];
    if (number === undefined) continue;
    const words = line
      .slice(0, VALUE.exec(line).index)
      .replace(/\d[\d.]*/g, '#')
      .replace(/\s+/g, ' ')
      .trim();
    const times = (seen.get(words) ?? 0) + 1;
    seen.set(words, times);
    values.set(times === 1 ? words : `${words} (${times})`, { value: Number(number), unit });
  }
  return values;
}

export async function runBeside({ name, args, turns, older }) {
  const outputs = { ours: [], theirs: [] };
  for (let turn = 0; turn < turns; turn++)
    for (const side of turn % 2 ? ['theirs', 'ours'] : ['ours', 'theirs'])
      outputs[side].push(valuesIn(await play(side === 'ours' ? root : older, name, args)));
  report(outputs);
}

async function play(directory, name, args) {
  const env = { ...process.env, ROUSE_ROOT: directory, ROUSE_TEST_ROOT: directory };
  const options = { cwd: directory, env, stdio: ['ignore', 'pipe', 'inherit'] };
  const bench = spawn(process.execPath, ['scripts/bench.mjs', name, ...args], options);
  let output = '';
  bench.stdout.on('data', (chunk) => {
    output += chunk;
  });
  const [code] = await once(bench, 'close');
  if (code !== 0) throw new Error(`the benchmark ${name} in ${directory} ended with ${code}:\n${output}`);
  return output;
}

const middle = (numbers) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];

function report({ ours, theirs }) {
  console.log(
    'median of each line: this tree, the older commit, and how much slower this tree is (below 1: faster)',
  );
  for (const [key, { unit }] of ours[0]) {
    const of = (side) => side.flatMap((values) => values.get(key)?.value ?? []);
    if (of(theirs).length === 0) continue;
    const [now, before] = [middle(of(ours)), middle(of(theirs))];
    const slower = unit === 'ms' ? now / before : before / now;
    console.log(`  ${slower.toFixed(2)}x  ${now} ${unit}  ${before} ${unit}  ${key}`);
  }
}
