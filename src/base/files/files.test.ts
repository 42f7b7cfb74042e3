import { execFileSync, spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import * as esbuild from 'esbuild';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { ownDevice } from '../../../test/support/device.ts';
import {
  ensureDirectory,
  ensurePrivateDirectory,
  readIfExists,
  readJsonIfExists,
  replaceAside,
  shareFile,
  stableJson,
  writeFileAtomic,
  writeNamedFile,
} from './files.ts';

const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'rouse-files-'));
afterAll(() => fs.rmSync(directory, { recursive: true }));

describe.runIf(process.getuid?.() === 0)('a device', () => {
  const place = fs.mkdtempSync(path.join(os.tmpdir(), 'rouse-device-'));
  const device = ownDevice(place);
  const asMade = (): void => {
    const stat = fs.lstatSync(device);
    expect([stat.isCharacterDevice(), stat.mode & 0o777]).toEqual([true, 0o666]);
    expect(fs.readdirSync(place)).toEqual(['null']);
  };
  afterAll(() => fs.rmSync(place, { recursive: true }));

  it('a device is never replaced by a file', async () => {
    const other = path.join(directory, 'a-file');
    fs.writeFileSync(other, 'x');
    expect(() => writeFileAtomic(device, 'x')).toThrow(/not a regular file, and is left as it is/);
    expect(() => shareFile(other, device)).toThrow(/not a regular file/);
    await expect(replaceAside(device, 'x')).rejects.toThrow(/not a regular file/);
    expect(() => writeFileAtomic('/proc/self/fd/0', 'x')).toThrow(/not a regular file/);
    fs.rmSync(other);
    asMade();
  });

  it('that a person named is written into, and stays what it is', () => {
    writeNamedFile(device, 'secret\n');
    asMade();
    writeNamedFile(path.join(directory, 'named'), 'secret\n');
    expect(fs.statSync(path.join(directory, 'named')).mode & 0o777).toBe(0o600);
    fs.rmSync(path.join(directory, 'named'));
  });
});

it('a pipe in place of a file is read without waiting for a writer', () => {
  const pipe = path.join(directory, 'pipe');
  execFileSync('mkfifo', [pipe]);
  expect(readIfExists(pipe)).toBe('');
  fs.rmSync(pipe);
});

describe('writing a file atomically', () => {
  it('writing a file atomically replaces the content, keeps others out and leaves no temporary file', () => {
    const file = path.join(directory, 'a.json');
    writeFileAtomic(file, 'one');
    writeFileAtomic(file, 'two');
    expect(fs.readFileSync(file, 'utf8')).toBe('two');
    expect(fs.statSync(file).mode & 0o777).toBe(0o600);
    expect(fs.readdirSync(directory)).toEqual(['a.json']);
  });

  it('writing a file atomically leaves the old content and no litter when it fails', () => {
    const target = path.join(directory, 'a-directory');
    fs.mkdirSync(target);
    expect(() => writeFileAtomic(target, 'x')).toThrow();
    expect(fs.readdirSync(directory).filter((name) => name.includes('tmp'))).toEqual([]);
  });
});

describe('sharing a file', () => {
  it('a shared file gets a second name that stays as it was when the first is replaced', () => {
    const [one, other] = [path.join(directory, 'shared'), path.join(directory, 'other')];
    fs.writeFileSync(other, 'before');
    writeFileAtomic(one, 'first', { durable: 'content' });
    shareFile(one, other);
    writeFileAtomic(one, 'second');
    expect([one, other].map((file) => fs.readFileSync(file, 'utf8'))).toEqual(['second', 'first']);
    expect(fs.statSync(other).mode & 0o777).toBe(0o600);
  });

  it('a shared file is copied where there can be no link', () => {
    const [one, other] = [path.join('/dev/shm', `rouse-share-${process.pid}`), path.join(directory, 'far')];
    writeFileAtomic(one, 'first');
    try {
      shareFile(one, other);
      expect(fs.readFileSync(other, 'utf8')).toBe('first');
    } finally {
      fs.rmSync(one);
    }
  });
});

describe('stable JSON', () => {
  it('stable JSON parses back to the same value whatever the key order', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
        expect(JSON.parse(stableJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  it('stable JSON names the file that is not JSON', () => {
    const file = path.join(directory, 'broken.json');
    fs.writeFileSync(file, '{');
    expect(() => readJsonIfExists(file)).toThrow(/broken\.json is not valid JSON/);
    expect(readJsonIfExists(path.join(directory, 'absent.json'))).toBeUndefined();
  });
});

describe('making a directory', () => {
  it('making a directory makes its parents too, and leaves an existing one unchanged', () => {
    const deep = path.join(directory, 'one', 'two', 'three');
    ensurePrivateDirectory(deep);
    for (const at of [deep, path.dirname(deep)]) expect(fs.statSync(at).mode & 0o777).toBe(0o700);
    fs.chmodSync(deep, 0o755);
    ensurePrivateDirectory(deep);
    expect(fs.statSync(deep).mode & 0o777).toBe(0o755);
    fs.symlinkSync(deep, path.join(directory, 'link'));
    ensureDirectory(path.join(directory, 'link', 'four'));
    expect(fs.readdirSync(deep)).toEqual(['four']);
  });

  it('making a directory reports what is in the way', () => {
    const file = path.join(directory, 'a-file');
    const nowhere = path.join(directory, 'nowhere');
    fs.writeFileSync(file, '');
    fs.symlinkSync(path.join(directory, 'gone'), nowhere);
    for (const at of [file, nowhere]) {
      for (const wanted of [at, path.join(at, 'x'), path.join(at, 'x', 'y')]) {
        expect(() => ensureDirectory(wanted)).toThrow(
          expect.objectContaining({
            code: 'conflict',
            message: expect.stringContaining(`${at} is in the way`),
          }),
        );
      }
    }
    expect(fs.existsSync(path.join(directory, 'gone'))).toBe(false);
  });

  it.runIf(process.platform === 'linux')('ends where the system takes no directories', () => {
    // In a process of its own: a mkdir that never returns could not be interrupted here.
    const script = `import { ensureDirectory } from ${JSON.stringify(path.join(import.meta.dirname, 'files.ts'))};
      try { ensureDirectory('/proc/rouse-nope/x'); } catch (error) { console.log(error.code); }`;
    const file = path.join(directory, 'make.mjs');
    esbuild.buildSync({
      stdin: { contents: script, resolveDir: import.meta.dirname },
      outfile: file,
      bundle: true,
      platform: 'node',
      format: 'esm',
    });
    const ran = spawnSync(process.execPath, [file], {
      timeout: 20_000,
      killSignal: 'SIGKILL',
      encoding: 'utf8',
    });
    expect(ran).toMatchObject({ signal: null, stdout: expect.stringMatching(/^(not_found|forbidden)$/m) });
  });
});
