import * as fs from 'node:fs';
import * as path from 'node:path';
import { systemClock, unavailable } from '../../../base/index.ts';
import { explainWrite, notConfirmed } from './explain-write.ts';
import { isUnchanged, openSnapshot, type Snapshot } from './snapshot.ts';
import { fsync, type Splice, writeSpliced } from './splice.ts';
import { createTemp, inheritAccess, type TempFile } from './temp-file.ts';

export interface Rewrite {
  /** Returns what to change in this version of the file; nothing leaves it alone. May be called again. */
  plan: (base: Snapshot) => Promise<Splice[]> | Splice[];
  /** Receives the name of each step when it is done. */
  step: (name: string) => void;
}

const MAX_ATTEMPTS = 5;

/**
 * Replaces a file by an edited copy of itself, durably and in one step: write, fsync, check whether another program
 * changed the original (then start over), rename, fsync the directory. False when there was nothing to change. The caller
 * holds the lock.
 */
export async function rewriteFile(target: string, rewrite: Rewrite): Promise<boolean> {
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
    const base = openSnapshot(target);
    try {
      const splices = await rewrite.plan(base);
      if (splices.length === 0) return false;
      if (await replace(target, base, { splices, step: rewrite.step })) return true;
    } catch (error) {
      throw explainWrite(error, target);
    } finally {
      base.close();
    }
  }
  throw unavailable(`${target} kept being changed by another program; nothing was written`, {
    hint: 'close the editor or script that writes it without the lock, then try again',
  });
}

/** False when another program changed the file in the meantime: it keeps what that one wrote. */
async function replace(
  target: string,
  base: Snapshot,
  { splices, step }: { splices: Splice[]; step: (name: string) => void },
): Promise<boolean> {
  const temp = createTemp(target);
  try {
    const size = await fill(temp, base, splices);
    step('written');
    await fsync(temp.fd, size);
    step('synced');
    if (!isUnchanged(target, base)) return false;
    temp.rename();
    step('renamed');
    await fsyncDirectoryOf(target).catch((error) => {
      throw notConfirmed(error, target);
    });
    step('committed');
    return true;
  } finally {
    temp.discard();
  }
}

/** Returns the size of the new version. */
async function fill(temp: TempFile, base: Snapshot, splices: Splice[]): Promise<number> {
  const { fd } = temp;
  await writeSpliced(fd, { fd: base.fd, size: base.source.size }, splices);
  inheritAccess(temp, base.stat);
  // A stamp finer than the kernel's clock tick: any later write gets another one, even within the same tick.
  const now = (Date.now() + (systemClock.monotonic() % 1)) / 1000;
  fs.futimesSync(fd, now, now);
  return fs.fstatSync(fd).size;
}

export async function fsyncDirectoryOf(file: string): Promise<void> {
  const fd = fs.openSync(path.dirname(file), 'r');
  try {
    await fsync(fd);
  } finally {
    fs.closeSync(fd);
  }
}
