// A path of a route is written in src/wire/places.ts and nowhere else in src/. Checked by `npm run check`.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { loadSource } from './load-source.mjs';
import { root } from './setup.mjs';

/** A comment or a string; in a template, the text between its values. */
const LITERAL =
  /\/\*[\s\S]*?\*\/|\/\/[^\n]*|'((?:\\.|[^'\\\n])*)'|"((?:\\.|[^"\\\n])*)"|`((?:\\.|[^`\\])*)`/g;

const { carriedPath, FLEET_PLACES, GATEWAY_PLACES } = await loadSource('src/wire/places.ts');
const pathsOf = (places) => Object.values(places).map((place) => place.split(' ')[1]);
const gateway = pathsOf(GATEWAY_PLACES);
const paths = [...gateway, ...gateway.map(carriedPath), ...pathsOf(FLEET_PLACES)];
const roots = new Set(paths.map((each) => each.split('/')[1]));
const parts = new Set(paths.flatMap((each) => each.split(/\{\w+\}/).filter((part) => part.length > 1)));

/** A whole path, or the part before or after a parameter. Text for people has spaces and does not match. */
function isRoutePath(text) {
  const [bare] = text.split('?');
  if (!/^\/[\w./-]+$/.test(bare)) return false;
  return parts.has(bare) || roots.has(bare.split('/')[1]);
}

function* literals(source) {
  for (const [, single, double, template] of source.matchAll(LITERAL)) {
    if (template !== undefined) yield* template.split(/\$\{[^}]*\}/);
    else if (single ?? double) yield single ?? double;
  }
}

/** Rooms that may contain paths: their home, and the page, which cannot import code of other rooms; its tests use every path. */
const ELSEWHERE = /^(?:wire|page)\//;
/** The routes of another project's server. */
const OTHERS = path.join('cao', 'cao-routes.ts');

const files = readdirSync(path.join(root, 'src'), { recursive: true, encoding: 'utf8' }).filter(
  (name) => /\.ts$/.test(name) && !/\.test\.ts$/.test(name) && !ELSEWHERE.test(name) && name !== OTHERS,
);
let spelled = 0;
for (const file of files) {
  for (const text of literals(readFileSync(path.join(root, 'src', file), 'utf8'))) {
    if (!isRoutePath(text)) continue;
    console.error(
      `src/${file}: "${text}" is the path of a route; take it from src/wire/places.ts by its name`,
    );
    spelled++;
  }
}
if (spelled) process.exit(1);
