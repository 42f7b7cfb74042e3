import { spawn } from 'node:child_process';
import { once } from 'node:events';
import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { conflict, FakeClock, internal, systemClock } from '../../../base/index.ts';
import { openSqlite, type Sqlite } from '../../../db/index.ts';
import { CommitQueue } from './commit-queue.ts';

let directory: string;
let db: Sqlite;
let flush: () => void;
const migrations = [{ id: '1', sql: 'CREATE TABLE t (name TEXT UNIQUE)' }];
const lockFile = (): string => path.join(directory, 'commit.lock');
const names = (): unknown[] =>
  db.all<{ name: string }>('SELECT name FROM t ORDER BY name').map(({ name }) => name);
const insert = (name: string) => (inside: Sqlite) => void inside.run('INSERT INTO t VALUES (?)', [name]);

beforeEach(() => {
  directory = fs.mkdtempSync(path.join(os.tmpdir(), 'rouse-commit-'));
  flush = () => {};
  db = openSqlite({ file: path.join(directory, 'x.sqlite'), migrations });
});
afterEach(() => {
  db.close();
  fs.rmSync(directory, { recursive: true, force: true });
});

function queue(clock = systemClock as typeof systemClock | FakeClock): CommitQueue {
  return new CommitQueue({ db, clock, lockFile: lockFile(), timeoutMs: 30_000, flush });
}

describe('commits', () => {
  it('of one turn are one transaction, in the order they were asked for', async () => {
    const commits = queue();
    const before = db.get<{ n: number }>('PRAGMA data_version');
    const order: number[] = [];
    const note = (n: number) => (inside: Sqlite) => {
      insert(`m${n}`)(inside);
      order.push(n);
    };
    await Promise.all([1, 2, 3].map((n) => commits.add(note(n))));
    expect(order).toEqual([1, 2, 3]);
    expect(names()).toEqual(['m1', 'm2', 'm3']);
    expect(db.get('PRAGMA data_version')).toEqual(before);
    await commits.close();
  });

  it('go on by the lock of the index alone when the lock file cannot be opened', async () => {
    fs.symlinkSync('/nowhere', lockFile());
    const commits = queue();
    await Promise.all([1, 2].map((n) => commits.add(insert(`m${n}`))));
    expect(names()).toEqual(['m1', 'm2']);
    await commits.close();
  });

  it('that the disk did not confirm are rejected, and told of before: everybody sees them', async () => {
    flush = () => {
      throw new Error('not flushed');
    };
    const seen: unknown[] = [];
    const told = queue().add(insert('there'), () => seen.push(...names()));
    await expect(told).rejects.toThrow('not flushed');
    expect(seen).toEqual(['there']);
  });

  it('undo a work that is refused and keep the others of its group', async () => {
    const commits = queue();
    const refused = commits.add((inside) => {
      insert('half')(inside);
      throw conflict('no');
    });
    const kept = commits.add(insert('kept'));
    await expect(refused).rejects.toMatchObject({ code: 'conflict' });
    await kept;
    expect(names()).toEqual(['kept']);
    await commits.close();
  });

  it('are undone together when something breaks, and the next ones go on', async () => {
    const commits = queue();
    const first = commits.add(insert('first'));
    const broken = commits.add(() => {
      throw internal('broken');
    });
    await expect(first).rejects.toMatchObject({ code: 'internal' });
    await expect(broken).rejects.toMatchObject({ code: 'internal' });
    await commits.add(insert('after'));
    expect(names()).toEqual(['after']);
    await commits.close();
  });

  it('are answered only after the flush, and refused when that fails', async () => {
    const steps: string[] = [];
    flush = () => void steps.push('flushed');
    const commits = queue();
    await commits.add(() => void steps.push('written')).then(() => steps.push('answered'));
    expect(steps).toEqual(['written', 'flushed', 'answered']);
    flush = () => {
      throw internal('EIO');
    };
    const broken = queue();
    await expect(broken.add(insert('x'))).rejects.toMatchObject({ message: 'EIO' });
    await commits.close();
    await broken.close();
  });

  it('wait for another process, and are refused when that takes too long', async () => {
    const holder = spawn('flock', ['-x', lockFile(), 'sh', '-c', 'echo held; read -r line'], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    await once(holder.stdout, 'data');
    const clock = new FakeClock();
    const commits = queue(clock);
    const late = commits.add(insert('late'));
    const refused = expect(late).rejects.toMatchObject({ code: 'unavailable' });
    await clock.advance(31_000);
    await refused;
    const waiting = commits.add(insert('waited'));
    holder.stdin.end('go\n');
    await waiting;
    expect(names()).toEqual(['waited']);
    await commits.close();
  });
});
