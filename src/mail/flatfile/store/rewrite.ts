import * as fs from 'node:fs';
import * as path from 'node:path';
import { systemClock, unavailable } from '../../../base/index.ts';
import { explainWrite, notConfirmed } from './explain-write.ts';
import { identityOf, isUnchanged, openSnapshot, type Snapshot } from './snapshot.ts';
import { fsync, type Splice, writeSpliced } from './splice.ts';
import { createTemp, inheritAccess, type TempFile } from './temp-file.ts';

export interface Rewrite {
  /** What to change in this state of the file; nothing to change leaves the file alone. May be asked again. */
  plan: (base: Snapshot) => Promise<Splice[]> | Splice[];
  /** Told the name of each step when it is done. */
  step: (name: string) => void;
}

export interface Rewritten {
  changed: boolean;
  /** Of the file as it is now. */
  identity: string;
}

const MOST_ATTEMPTS = 5;

/**
 * Replaces a file by an edited copy of itself, durably and in one step: write, fsync, look whether anybody changed
 * the original meanwhile (then start over), rename, fsync the directory. The caller holds the lock.
 */
export async function rewriteFile(target: string, rewrite: Rewrite): Promise<Rewritten> {
  for (let attempt = 1; attempt <= MOST_ATTEMPTS; attempt++) {
    const base = openSnapshot(target);
    try {
      const splices = await rewrite.plan(base);
      if (splices.length === 0) return { changed: false, identity: identityOf(base.stat) };
      const identity = await replace(target, base, { splices, step: rewrite.step });
      if (identity !== undefined) return { changed: true, identity };
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

/** Undefined when somebody changed the file meanwhile: it keeps what they wrote. */
async function replace(
  target: string,
  base: Snapshot,
  { splices, step }: { splices: Splice[]; step: (name: string) => void },
): Promise<string | undefined> {
  const temp = createTemp(target);
  try {
    const { identity, size } = await fill(temp, base, splices);
    step('written');
    await fsync(temp.fd, size);
    step('synced');
    if (!isUnchanged(target, base)) return undefined;
    temp.rename();
    step('renamed');
    await fsyncDirectoryOf(target).catch((error) => {
      throw notConfirmed(error, target);
    });
    step('committed');
    return identity;
  } finally {
    temp.discard();
  }
}

async function fill(
  temp: TempFile,
  base: Snapshot,
  splices: Splice[],
): Promise<{ identity: string; size: number }> {
  const { fd } = temp;
  await writeSpliced(fd, { fd: base.fd, size: base.source.size }, splices);
  inheritAccess(temp, base.stat);
  // A stamp finer than the kernel's clock tick: any later write gives another one, even within the same tick.
  const now = (Date.now() + (systemClock.monotonic() % 1)) / 1000;
  fs.futimesSync(fd, now, now);
  const stat = fs.fstatSync(fd, { bigint: true });
  return { identity: identityOf(stat), size: Number(stat.size) };
}

export async function fsyncDirectoryOf(file: string): Promise<void> {
  const fd = fs.openSync(path.dirname(file), 'r');
  try {
    await fsync(fd);
  } finally {
    fs.closeSync(fd);
  }
}
