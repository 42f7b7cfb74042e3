import { spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bundle } from '../support/bundle.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
const PROGRAM = `
import path from 'node:path';
import { drawnFor, sampled } from ${JSON.stringify(path.join(ROOT, 'test/support/sample.ts'))};

const here = path.join(import.meta.dirname, 'some.test.ts');
const rows = Array.from({ length: 100 }, (_, row) => row);
console.log(JSON.stringify([sampled(here, rows, 5), drawnFor(here).next(), drawnFor('a name').next()]));
`;

describe('what tests draw', () => {
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'rouse-draws-'));
  const clones = ['one', 'another/below'].map((name) => path.join(directory, name));
  beforeAll(async () => {
    const source = path.join(directory, 'program.ts');
    fs.writeFileSync(source, PROGRAM);
    for (const clone of clones) await bundle(source, path.join(clone, 'test/support/program.mjs'));
  });
  afterAll(() => fs.rmSync(directory, { recursive: true }));

  function drawnIn(clone: string, seed?: number): unknown {
    const { ROUSE_SEED: _seed, ROUSE_PROOF: _proof, ...rest } = process.env;
    const env = { ...rest, ...(seed !== undefined && { ROUSE_SEED: String(seed) }) };
    const program = path.join(clone, 'test/support/program.mjs');
    const { stdout, stderr } = spawnSync(process.execPath, [program], { env, encoding: 'utf8' });
    expect(stderr).toBe('');
    return JSON.parse(stdout);
  }

  it('the same tree draws the same rows and numbers in every clone', () => {
    const [here, there] = clones.map((clone) => drawnIn(clone));
    expect(there).toEqual(here);
  });

  it('ROUSE_SEED draws others, and the same ones again', () => {
    const [here, there] = clones as [string, string];
    expect(drawnIn(here, 7)).not.toEqual(drawnIn(here));
    expect(drawnIn(there, 7)).toEqual(drawnIn(here, 7));
  });

  it('no test draws with Math.random, except a name that must be new and the share of writes that fails', () => {
    const files = [...testFiles('test'), ...testFiles('src').filter((file) => file.includes('.test.'))];
    const drawing = files.filter((file) => {
      const text = fs.readFileSync(path.join(ROOT, file), 'utf8');
      return /Math\.random\(\)(?!\.toString\(16\))/.test(text);
    });
    expect(drawing).toEqual(['test/support/faults.mjs']);
  });
});

function testFiles(directory: string): string[] {
  return fs
    .readdirSync(path.join(ROOT, directory), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(ts|mjs)$/.test(name))
    .map((name) => path.join(directory, name))
    .sort();
}
