import { spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';

const ROOT = path.resolve(import.meta.dirname, '../..');
const copy = fs.mkdtempSync(path.join(os.tmpdir(), 'rouse-words-'));
afterAll(() => fs.rmSync(copy, { recursive: true, force: true }));

/** A row more in the table of this file, behind the line that begins it. */
function addRow(file: string, table: string, row: string): void {
  const place = path.join(copy, file);
  const text = fs.readFileSync(place, 'utf8');
  const begins = `export const ${table} = {\n`;
  expect(text).toContain(begins);
  fs.writeFileSync(place, text.replace(begins, `${begins}  ${row},\n`));
}

/** Where the compiler says that something is missing, as `file: what`. */
function missing(config: string): string[] {
  const tsc = path.join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
  const { stdout } = spawnSync(process.execPath, [tsc, '-p', config, '--pretty', 'false'], {
    cwd: copy,
    encoding: 'utf8',
  });
  const errors = stdout.split('\n').filter((line) => /^\S+\(\d+,\d+\): error/.test(line));
  return errors.map((line) => `${line.split('(')[0]}: ${/'(\w+)' is missing/.exec(line)?.[1] ?? line}`);
}

describe('a code that is added to its table alone', () => {
  fs.cpSync(path.join(ROOT, 'src'), path.join(copy, 'src'), {
    recursive: true,
    filter: (from) => !/(\.test|\.contract|testing)\.ts$/.test(from),
  });
  fs.symlinkSync(path.join(ROOT, 'node_modules'), path.join(copy, 'node_modules'));
  fs.copyFileSync(path.join(ROOT, 'package.json'), path.join(copy, 'package.json'));
  for (const config of ['tsconfig', 'tsconfig.page']) {
    const text = fs.readFileSync(path.join(ROOT, `${config}.json`), 'utf8');
    fs.writeFileSync(path.join(copy, `${config}.json`), text.replaceAll('./node_modules/.cache', '.'));
  }
  addRow('src/domain/words/reasons.ts', 'REASONS', "moon: gate('moon', 'the moon is out', 'draft')");
  addRow('src/domain/words/standings.ts', 'AGENT_STATES', 'moonlit: { counted: null }');

  it('a code that is added to its table alone is asked for by the compiler wherever something must be decided about it, and nowhere else', () => {
    expect(missing('tsconfig.json')).toEqual([
      'src/cli/ls/roster-table.ts: moonlit',
      'src/cli/ls/roster-table.ts: moonlit',
      'src/screen/turn/readiness.ts: moon',
    ]);
    expect(missing('tsconfig.page.json')).toEqual([
      'src/page/home/agents.tsx: moonlit',
      'src/page/live/picture.ts: moonlit',
      'src/page/parts/state-mark.tsx: moonlit',
    ]);
  });
});
