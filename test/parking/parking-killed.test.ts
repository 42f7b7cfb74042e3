import { spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { bundle } from '../support/bundle.ts';

const program = path.resolve(
  import.meta.dirname,
  `../../node_modules/.rouse-parking-child-${process.pid}.mjs`,
);
let directory = '';
beforeAll(() =>
  bundle(path.resolve(import.meta.dirname, 'parking-child.ts'), program, { packages: 'external' }),
);
afterAll(() => fs.rmSync(program, { force: true }));
beforeEach(() => {
  directory = fs.mkdtempSync(path.join(os.tmpdir(), 'rouse-parking-'));
  return () => fs.rmSync(directory, { recursive: true, force: true });
});

const run = (what: 'park' | 'resume', at = '') => {
  const { stdout, signal, stderr } = spawnSync(process.execPath, [program, what, directory, at], {
    encoding: 'utf8',
  });
  return { signal, stderr, said: stdout === '' ? undefined : JSON.parse(stdout) };
};

describe('a process that is killed around a usage limit', () => {
  it.each([
    'limits.store.before-write',
    'limits.store.after-write',
    'limits.store.before-write@2',
    'limits.store.after-write@2',
  ])('killed at %s, the next one holds until the end', (at) => {
    expect(run('park', at)).toMatchObject({ signal: 'SIGKILL', said: undefined });
    const { said } = run('park');
    expect(said.hold.code).toBe('usage_limit');
    const untilMs = Date.parse(said.view.untilUtc);
    expect(Math.abs(untilMs - Date.now() - 2 * 3600_000)).toBeLessThan(300_000);
    expect(Date.parse(said.view.slotUtc)).toBeGreaterThanOrEqual(untilMs);
    expect(run('park').said).toEqual(said);
  });

  it.each([
    'limits.resume.before-accept',
    'queue.accept.before-commit',
    'queue.accept.after-commit',
    'limits.resume.after-accept',
  ])('killed at %s, the agent is asked to continue exactly once', (at) => {
    expect(run('resume', at)).toMatchObject({ signal: 'SIGKILL', said: undefined });
    expect(run('resume').said).toEqual({ rows: 1 });
    expect(run('resume').said).toEqual({ rows: 1 });
  });
});
