import * as fs from 'node:fs';
import * as path from 'node:path';
import { describe, expect, it } from 'vitest';
import { root } from './source-copy.ts';
import { DOMAIN, domainSets } from './word-tables.ts';

/** Released schemas keep their lists; stored-sets.test.ts compares them with the tables. */
const RELEASED = /^src\/(fleet\/schema\/|gateway\/queue\/schema\.ts|gateway\/notifier\/notifier-schema\.ts)/;

/** Other words that look the same: priorities of mail in a flat file. */
const OTHER_LISTS = ['src/mail/flatfile/format/envelope.ts'];

interface List {
  place: string;
  words: string[];
  sql: boolean;
}

/** Quoted words in a row: an array, a union, `z.enum([…])`, `IN (…)`. */
function listsIn(file: string): List[] {
  const text = fs
    .readFileSync(path.join(root, file), 'utf8')
    .replace(/\/\*[\s\S]*?\*\//g, (comment) => comment.replace(/[^\n]/g, ' '))
    .replace(/^\s*\/\/.*$/gm, '');
  return [...text.matchAll(/(\bIN \()?'\w+'(?:\s*[,|]\s*'\w+')+/g)].map(({ 0: found, 1: sql, index }) => ({
    place: `${file}:${text.slice(0, index).split('\n').length}`,
    words: [...found.matchAll(/'(\w+)'/g)].map(([, word]) => word!),
    sql: sql !== undefined,
  }));
}

const sources = (fs.readdirSync(path.join(root, 'src'), { recursive: true, encoding: 'utf8' }) as string[])
  .map((name) => path.join('src', name))
  .filter((file) => /\.tsx?$/.test(file) && !/\.(test|contract)\.tsx?$|testing\.ts$/.test(file))
  // The scripted agent plays other people's programs, so it has none of our words.
  .filter((file) => !file.startsWith(DOMAIN) && !file.startsWith('src/scripted/') && !RELEASED.test(file))
  .filter((file) => !OTHER_LISTS.includes(file));

describe('the codes of a closed set', async () => {
  const sets = await domainSets();
  const lists = sources.flatMap(listsIn);

  it('the codes of a closed set are listed in its table and nowhere else', () => {
    const copies = lists.flatMap(({ place, words }) => {
      const copied = sets.filter(
        ({ codes }) => codes.length === words.length && codes.every((code) => words.includes(code)),
      );
      return copied.map(({ name }) => `${place} lists ${name}`);
    });
    expect(copies).toEqual([]);
  });

  it('a statement of SQL names several codes of a closed set only through a property of its table', () => {
    const copies = lists
      .filter(
        ({ sql, words }) => sql && sets.some(({ codes }) => words.every((word) => codes.includes(word))),
      )
      .map(({ place, words }) => `${place} lists ${words.join(', ')}`);
    expect(copies).toEqual([]);
  });
});
