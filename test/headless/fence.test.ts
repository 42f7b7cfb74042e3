import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { startRunner } from '../../src/terminal/headless/runner/start-runner.ts';
import {
  attemptFile,
  attemptState,
  isUsed,
  prepareFiles,
  readExitCode,
  readToolPid,
  turnFiles,
  voidAttempt,
} from '../../src/terminal/headless/turn/turn-files.ts';
import { drawnFor } from '../support/sample.ts';

const root = fs.mkdtempSync(path.join(os.tmpdir(), 'rouse-fence-'));
afterAll(() => fs.rmSync(root, { recursive: true, force: true }));

let number = 0;
const attempt = 'a1b2c3d4e5f60718';
function prepared() {
  const files = turnFiles(root, `turn-${++number}`);
  prepareFiles(files, attempt, 'the prompt');
  return files;
}
const run = (files: ReturnType<typeof prepared>) =>
  startRunner({
    files,
    attempt,
    command: ['/bin/cat'],
    readsPrompt: true,
    cwd: root,
    env: { PATH: '/usr/bin:/bin' },
  });

describe('the fence before a turn', () => {
  it('the fence before a turn lets the runner run what is ready, and writes down how it ended', async () => {
    const files = prepared();
    expect(await (await run(files)).exit).toEqual({ code: 0, signal: null });
    expect(attemptState(files, attempt)).toBe('started');
    expect([fs.readFileSync(files.stdout, 'utf8'), readExitCode(files), isUsed(files)]).toEqual([
      'the prompt',
      0,
      true,
    ]);
    expect(voidAttempt(files, attempt)).toBe(false);
  });

  it('the fence before a turn keeps a late runner from running what was made void', async () => {
    const files = prepared();
    expect(voidAttempt(files, attempt)).toBe(true);
    expect(await (await run(files)).exit).toEqual({ code: 125, signal: null });
    expect([fs.readFileSync(files.stdout, 'utf8'), readExitCode(files), isUsed(files)]).toEqual([
      '',
      undefined,
      false,
    ]);
    expect(voidAttempt(files, attempt)).toBe(true);
  });

  it('the fence before a turn lets exactly one of a runner and a recovery win, whenever they meet', async () => {
    let ran = 0;
    const random = drawnFor(import.meta.filename);
    for (let n = 0; n < 40; n++) {
      const files = prepared();
      const runner = await run(files);
      await new Promise((resolve) => setTimeout(resolve, random.next() * 12));
      const wasVoid = voidAttempt(files, attempt);
      await runner.exit;
      expect(fs.readFileSync(files.stdout, 'utf8')).toBe(wasVoid ? '' : 'the prompt');
      if (!wasVoid) ran++;
    }
    expect(ran).toBeGreaterThan(0);
  });

  it('the fence before a turn leaves numbers that are whole once their line ends, and are not read before', async () => {
    const files = prepared();
    await (await run(files)).exit;
    const pid = attemptFile(files, attempt, 'pid');
    expect(fs.readFileSync(pid, 'utf8')).toMatch(/^\d+\n$/);
    expect([pid, files.exitcode].map((file) => fs.statSync(file).mode & 0o777)).toEqual([0o600, 0o600]);
    expect(readToolPid(files, attempt)).toBe(Number(fs.readFileSync(pid, 'utf8')));
    for (const torn of ['', '1']) {
      fs.writeFileSync(pid, torn);
      fs.writeFileSync(files.exitcode, torn);
      expect([readToolPid(files, attempt), readExitCode(files)]).toEqual([undefined, undefined]);
    }
  });

  it('the fence before a turn rejects what cannot be started at all', async () => {
    const files = prepared();
    const nowhere = startRunner({
      files,
      attempt,
      command: ['/bin/cat'],
      readsPrompt: true,
      cwd: '/nowhere',
      env: {},
    });
    await expect(nowhere).rejects.toMatchObject({ code: 'ENOENT' });
    expect(voidAttempt(files, attempt)).toBe(true);
  });
});
