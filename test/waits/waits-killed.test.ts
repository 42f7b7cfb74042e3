import { spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { OPERATOR } from '../../src/domain/index.ts';
import { TestRoot } from '../../src/mail/filesystem/world.testing.ts';
import { bundle } from '../support/bundle.ts';

const program = path.resolve(import.meta.dirname, `../../node_modules/.rouse-waits-child-${process.pid}.mjs`);
let world: TestRoot;
beforeAll(() =>
  bundle(path.resolve(import.meta.dirname, 'waits-child.ts'), program, { packages: 'external' }),
);
afterAll(() => fs.rmSync(program, { force: true }));
beforeEach(async () => {
  world = new TestRoot('ana', 'ben');
  await world.send('ana', 'ben', 'which port?', { answer_by: '2026-01-02T00:00:00Z' });
  await world.store.close();
});
afterEach(() => world.end());

const run = (what: 'close' | 'late', at = '') =>
  spawnSync(process.execPath, [program, what, world.root, at], { encoding: 'utf8' });
const reports = async (what: RegExp): Promise<number[]> => {
  const store = await world.reopen();
  const of = async (address: string): Promise<number> =>
    (await store.mailbox(address).list({ limit: 100 })).messages.filter(({ subject }) => what.test(subject))
      .length;
  return Promise.all(['ana@houmao.localhost', 'ben@houmao.localhost', OPERATOR.address].map(of));
};

/** Each write of the commit, and the moment after it. */
const STEPS = ['mailbox.deliver.rows', 'mailbox.deliver.rows@2', 'mailbox.commit.flushed'];

describe('a process that is killed while it reports waits', () => {
  it.each(['mailbox.deliver.begin', ...STEPS, 'mailbox.deliver.signalled'])(
    'killed at %s, a circle is reported exactly once',
    async (at) => {
      expect(run('close', at).signal).toBe('SIGKILL');
      for (let n = 0; n < 2; n++) expect(run('close')).toMatchObject({ stdout: 'done' });
      expect(await reports(/^You wait for each other/)).toEqual([1, 1, 1]);
    },
  );

  it.each(['mailbox.deliver.rows', 'mailbox.commit.flushed'])(
    'killed at %s, a late answer is reported exactly once',
    async (at) => {
      expect(run('late', at).signal).toBe('SIGKILL');
      for (let n = 0; n < 2; n++) expect(run('late')).toMatchObject({ stdout: 'done' });
      expect(await reports(/^Overdue/)).toEqual([1, 1, 1]);
    },
  );
});
