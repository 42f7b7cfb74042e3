import * as fs from 'node:fs';
import * as path from 'node:path';
import { expect, it } from 'vitest';

const ROOT = path.resolve(import.meta.dirname, '../..');

it('every line of the threat model names tests that are there', () => {
  const page = fs.readFileSync(path.join(ROOT, 'SECURITY.md'), 'utf8');
  const rows = page.split('\n').filter((line) => /^\| (?!Who )/.test(line));
  expect(rows.length).toBeGreaterThan(10);
  for (const row of rows) {
    const tests = [...row.matchAll(/\]\(([^)]+\.test\.ts)\)/g)].map((match) => match[1]!);
    expect([row.slice(0, 60), tests.length > 0]).toEqual([row.slice(0, 60), true]);
    for (const test of tests) expect([test, fs.existsSync(path.join(ROOT, test))]).toEqual([test, true]);
  }
});
