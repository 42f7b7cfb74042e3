// Keeps out the words that docs/style.md replaces. Checked by `npm run check`. scripts/plain-words.json has the number that
// each room may still have; `--tighten` lowers those numbers to the current ones, `--list` prints where the words are.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { root } from './setup.mjs';

const WORDS =
  /\b(?:told|tells|somebody|nobody|whoever|stands?(?! ?-?(?:ins?\b(?! the| a| its)|for\b|alone|out\b|still\b))|stood(?! for\b)|anew|became of|becomes of|in line(?! with)|obey(?:s|ed)?|heed(?:s|ed)?|meanwhile|mend(?:s|ed)?|is said to|MOST_[A-Z_]+)\b/gi;

/** Files in which such words are names or quotes: the page about them, screens of other programs, generated files. */
const ALLOWED_FILES = [
  'docs/style.md',
  'docs/openapi/',
  'scripts/plain-words.mjs',
  'test/screen/fixtures/',
  'test/golden/expected/',
  'test/upgrade/states/',
];
const TEXT = /\.(?:ts|tsx|mjs|cjs|js|md|json|toml|yaml|css|html|sh|1)$/;
const LISTED = path.join(root, 'scripts', 'plain-words.json');

function* files(directory) {
  for (const entry of readdirSync(path.join(root, directory), { withFileTypes: true })) {
    const name = path.posix.join(directory, entry.name);
    if (ALLOWED_FILES.some((allowed) => name === allowed || `${name}/` === allowed)) continue;
    if (entry.isDirectory()) yield* files(name);
    else if (TEXT.test(name)) yield name;
  }
}

/** `src/mail`, `test/fleet`, `docs`; pages beside the package belong to docs. */
const roomOf = (file) => {
  const [first, second] = file.split('/');
  return ['src', 'test'].includes(first) && file.split('/').length > 2 ? `${first}/${second}` : first;
};

const found = {};
const pages = readdirSync(root).filter((name) => name.endsWith('.md'));
for (const file of [
  ...['src', 'test', 'scripts', 'bench', 'docs', 'assets', 'bin'].flatMap((each) => [...files(each)]),
  ...pages,
]) {
  const room = pages.includes(file) ? 'docs' : roomOf(file);
  for (const [number, line] of readFileSync(path.join(root, file), 'utf8').split('\n').entries())
    for (const [word] of line.matchAll(WORDS))
      (found[room] ??= []).push(`${file}:${number + 1}: ${word}: ${line.trim().slice(0, 160)}`);
}

const allowed = JSON.parse(readFileSync(LISTED, 'utf8'));
if (process.argv.includes('--tighten')) {
  const tightened = Object.entries(found)
    .map(([room, places]) => [room, Math.min(places.length, allowed[room] ?? 0)])
    .filter(([, count]) => count > 0)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  writeFileSync(LISTED, `${JSON.stringify(Object.fromEntries(tightened), null, 2)}\n`);
}
const asked = process.argv.at(-1);
if (process.argv.includes('--list'))
  for (const [room, places] of Object.entries(found))
    if (asked === '--list' || asked === room) console.log(places.join('\n'));

let failed = 0;
for (const [room, places] of Object.entries(found)) {
  const max = allowed[room] ?? 0;
  if (places.length <= max) continue;
  failed++;
  console.error(
    `${room} has ${places.length} of the words that docs/style.md replaces, max ${max}: node scripts/plain-words.mjs --list ${room}`,
  );
}
if (failed) process.exit(1);
