import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { readJsonIfExists, stableJson, writeFileAtomic } from './files.ts';

const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'rouse-files-'));
afterAll(() => fs.rmSync(directory, { recursive: true }));

describe('writing a file atomically', () => {
  it('replaces the content, keeps others out and leaves no temporary file', () => {
    const file = path.join(directory, 'a.json');
    writeFileAtomic(file, 'one');
    writeFileAtomic(file, 'two');
    expect(fs.readFileSync(file, 'utf8')).toBe('two');
    expect(fs.statSync(file).mode & 0o777).toBe(0o600);
    expect(fs.readdirSync(directory)).toEqual(['a.json']);
  });

  it('leaves the old content and no litter when it fails', () => {
    const target = path.join(directory, 'a-directory');
    fs.mkdirSync(target);
    expect(() => writeFileAtomic(target, 'x')).toThrow();
    expect(fs.readdirSync(directory).filter((name) => name.includes('tmp'))).toEqual([]);
  });
});

describe('stable JSON', () => {
  it('parses back to the same value whatever the key order', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
        expect(JSON.parse(stableJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  it('names the file that is not JSON', () => {
    const file = path.join(directory, 'broken.json');
    fs.writeFileSync(file, '{');
    expect(() => readJsonIfExists(file)).toThrow(/broken\.json is not valid JSON/);
    expect(readJsonIfExists(path.join(directory, 'absent.json'))).toBeUndefined();
  });
});
