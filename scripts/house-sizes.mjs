// How large folders and functions may be. What is larger today is listed with its size: the lists only ever shrink.
import { readFileSync } from 'node:fs';
import path from 'node:path';

const MOST_FILES = 20;
const MOST_LINES = 60;

const LARGE_FOLDERS = {};

const LONG_FUNCTIONS = {
  // Runs in a worker thread as its own source text, so it may call no function beside it and name none inside.
  'mail/filesystem/publish/publish-tasks.ts runPublishTasks': 76,
};

/** Every breach as a sentence; `files` are the production files below `source`. */
export function inspectSizes(source, files) {
  const folders = new Map();
  const functions = new Map();
  for (const file of files) {
    const name = path.relative(source, file).split(path.sep).join('/');
    const folder = path.posix.dirname(name);
    folders.set(folder, (folders.get(folder) ?? 0) + 1);
    for (const [called, lines] of functionsOf(file)) {
      const key = `${name} ${called}`;
      functions.set(key, Math.max(lines, functions.get(key) ?? 0));
    }
  }
  return [
    ...judge(folders, MOST_FILES, LARGE_FOLDERS, 'files'),
    ...judge(functions, MOST_LINES, LONG_FUNCTIONS, 'lines'),
  ];
}

function* judge(sizes, most, exceptions, unit) {
  for (const [name, size] of sizes) {
    const allowed = exceptions[name] ?? most;
    if (size > allowed) yield `src/${name}: ${size} ${unit}, at most ${allowed}`;
  }
  for (const [name, allowed] of Object.entries(exceptions)) {
    const size = sizes.get(name) ?? 0;
    const now = size > most ? `write ${size} there` : 'take it off the list';
    if (size < allowed) yield `scripts/house-sizes.mjs: ${name} has ${size} ${unit} now; ${now}`;
  }
}

/** As the formatter writes it: a function begins a line, and ends at the first closing brace of the same indentation. */
const BEGIN =
  /^(\s*)(?:export (?:default )?)?(?:(?:async )?function\*? (\w+)|const (\w+)\b.*(?:=> \{|= (?:async )?\()$|(?:(?:static|override|async|get|set) )*(#?\w+)(?:<[^()]*>)?\(.*[{(]$)/;
const NO_NAMES = new Set(['if', 'for', 'while', 'switch', 'catch', 'return', 'await', 'throw']);

function* functionsOf(file) {
  const lines = readFileSync(file, 'utf8').split('\n');
  for (const [at, line] of lines.entries()) {
    const begins = BEGIN.exec(line);
    if (!begins) continue;
    const [, indent, ...names] = begins;
    const name = names.find(Boolean);
    if (NO_NAMES.has(name)) continue;
    const end = lines.findIndex(
      (other, i) => i > at && other.startsWith(indent) && /^\}[;,)]*$/.test(other.slice(indent.length)),
    );
    yield [name, end - at + 1];
  }
}
