import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FakeClock } from '../../base/index.ts';
import { GroupCommit, type GroupConnection } from './group-commit.ts';
import { LogSync } from './log-sync.ts';

/** A connection whose disk confirms on command. */
class SlowDisk implements GroupConnection {
  readonly steps: string[] = [];
  readonly syncs: ((error?: Error) => void)[] = [];
  begin = (): void => void this.steps.push('begin');
  commit = (): void => void this.steps.push('commit');
  rollback = (): void => void this.steps.push('rollback');
  syncNow = (): void => void this.steps.push('sync now');
  inTransaction = (): boolean => true;
  inSavepoint = (work: () => unknown): unknown => work();
  alone = (work: () => unknown): unknown => work();
  sync = (done: (error: unknown) => void): void => void this.syncs.push((error) => done(error));
}

const turns = async (): Promise<void> => {
  for (let i = 0; i < 5; i++) await new Promise((resolve) => setImmediate(resolve));
};

describe('while the disk works', () => {
  let disk: SlowDisk;
  let group: GroupCommit;
  beforeEach(() => {
    disk = new SlowDisk();
    group = new GroupCommit(disk, { clock: new FakeClock(), busyTimeoutMs: 1000 });
  });

  it('no promise resolves, later work shares the next transaction, and order is kept', async () => {
    const resolved: string[] = [];
    const add = (name: string) => group.add(() => name).then((value) => resolved.push(value));
    void add('a');
    await turns();
    const others = ['b', 'c'].map(add);
    await turns();
    expect([resolved, disk.steps, disk.syncs.length]).toEqual([[], ['begin', 'commit'], 1]);
    disk.syncs[0]!();
    await turns();
    expect([resolved, disk.steps.length, disk.syncs.length]).toEqual([['a'], 4, 2]);
    disk.syncs[1]!();
    await Promise.all(others);
    expect(resolved).toEqual(['a', 'b', 'c']);
  });

  it('a refused sync refuses its works, and the next ones are tried', async () => {
    const lost = group.add(() => 'lost');
    await turns();
    disk.syncs[0]!(new Error('EIO'));
    await expect(lost).rejects.toThrow('EIO');
    const next = group.add(() => 'next');
    await turns();
    disk.syncs[1]!();
    expect(await next).toBe('next');
  });

  it('a commit is reported as visible once, before its promise settles, whether the disk confirms or refuses it', async () => {
    const events: string[] = [];
    const add = (name: string): Promise<unknown> =>
      group
        .add(
          () => name,
          (value) => events.push(`${value} visible`),
        )
        .then(
          () => events.push(`${name} confirmed`),
          () => events.push(`${name} refused`),
        );
    for (const [n, error] of [undefined, new Error('EIO')].entries()) {
      const added = add(error ? 'second' : 'first');
      await turns();
      disk.syncs[n]!(error);
      await added;
    }
    expect(events).toEqual(['first visible', 'first confirmed', 'second visible', 'second refused']);
  });

  it('a close waits for it and settles every promise once', async () => {
    const first = group.add(() => 'first');
    await turns();
    const second = group.add(() => 'second');
    group.close();
    expect(await Promise.all([first, second])).toEqual(['first', 'second']);
    expect(disk.steps).toEqual(['begin', 'commit', 'sync now', 'begin', 'commit', 'sync now']);
    disk.syncs[0]!(new Error('too late to matter'));
    await expect(group.add(() => 'third')).rejects.toMatchObject({ code: 'unavailable' });
  });
});

describe('the sync of a log', () => {
  let directory: string;
  beforeEach(() => {
    directory = fs.mkdtempSync(path.join(os.tmpdir(), 'rouse-log-'));
  });
  afterEach(() => fs.rmSync(directory, { recursive: true, force: true }));

  it('syncing a log fails if the file cannot be opened, and needs none if nothing must be durable', async () => {
    const asked = (log: LogSync): Promise<unknown> => new Promise((resolve) => log.sync(resolve));
    const missing = path.join(directory, 'no.db');
    expect(await asked(new LogSync(missing, true))).toMatchObject({ code: 'ENOENT' });
    expect(await asked(new LogSync(missing, false))).toBeUndefined();
    expect(await asked(new LogSync(':memory:', true))).toBeUndefined();
    fs.writeFileSync(`${missing}-wal`, '');
    const log = new LogSync(missing, true);
    expect(await asked(log)).toBeUndefined();
    log.close();
    log.close();
  });
});
