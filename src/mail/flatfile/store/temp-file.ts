import * as fs from 'node:fs';
import * as path from 'node:path';
import { errnoOf, forbidden, randomHex } from '../../../base/index.ts';

/** The next version of a file, beside it. */
export interface TempFile {
  readonly path: string;
  readonly fd: number;
  /** Puts it in place of the target. */
  rename(): void;
  /** Closes it, and removes it unless it was renamed. */
  discard(): void;
}

const MARK = '.tmp-';

export function createTemp(target: string): TempFile {
  const name = `.${path.basename(target)}${MARK}${process.pid}-${randomHex(6)}`;
  const file = path.join(path.dirname(target), name);
  const fd = fs.openSync(file, 'wx', 0o600);
  let there = true;
  return {
    path: file,
    fd,
    rename() {
      fs.renameSync(file, target);
      there = false;
    },
    discard() {
      fs.closeSync(fd);
      if (there) fs.rmSync(file, { force: true });
    },
  };
}

/** Copies mode and owners of the old version. A new mailbox gets what its directory allows. */
export function inheritAccess(temp: TempFile, old: fs.BigIntStats | undefined): void {
  if (!old) {
    const { mode, uid, gid } = fs.statSync(path.dirname(temp.path));
    if (process.getuid?.() === 0) fs.fchownSync(temp.fd, uid, gid);
    fs.fchmodSync(temp.fd, 0o600 | (mode & 0o066));
    return;
  }
  const mine = fs.fstatSync(temp.fd);
  const [uid, gid] = [Number(old.uid), Number(old.gid)];
  const asRoot = process.getuid?.() === 0;
  if (mine.gid !== gid || (asRoot && mine.uid !== uid)) {
    try {
      fs.fchownSync(temp.fd, asRoot ? uid : -1, gid);
    } catch (error) {
      if (errnoOf(error) !== 'EPERM') throw error;
      throw forbidden(`cannot keep the group (gid ${gid}) of the mailbox: you are not a member of it`, {
        hint: 'join the group, or give the directory that group with the setgid bit',
      });
    }
  }
  fs.fchmodSync(temp.fd, Number(old.mode) & 0o7777);
}

const LITTER_AGE_MS = 5 * 60_000;

/** Removes what crashed writers left. Only while holding the lock; a young file may be in use. */
export function sweepTemps(target: string, now: number): number {
  const directory = path.dirname(target);
  const prefix = `.${path.basename(target)}${MARK}`;
  let swept = 0;
  for (const name of fs.readdirSync(directory)) {
    if (!name.startsWith(prefix)) continue;
    const file = path.join(directory, name);
    const stat = fs.lstatSync(file, { throwIfNoEntry: false });
    if (!stat?.isFile() || now - stat.mtimeMs < LITTER_AGE_MS) continue;
    fs.rmSync(file, { force: true });
    swept++;
  }
  return swept;
}
