import * as fs from 'node:fs';
import * as path from 'node:path';
import { errnoOf } from '../errors.ts';
import { kernelTrees, pathOfDescriptor } from '../system/index.ts';

/** Where a file may be: below `directory`, and in none of the directories below it that `except` names. */
export interface Below {
  directory: string;
  except: readonly string[];
  /** It must have no other name, which could be anywhere. */
  alone?: boolean | undefined;
}

/**
 * Why a file was not opened. `outside` does not reveal whether it exists. `shared`: it also has another name.
 */
export type NotOpened = 'missing' | 'outside' | 'not_regular' | 'unreadable' | 'shared';

export type OpenedRegular =
  | { handle: fs.promises.FileHandle; size: number }
  | { refused: NotOpened; errno?: string | undefined };

/** Linux: refers to a file without opening it, so that no device is touched and no pipe waits. */
const O_PATH = 0o10000000;

const { O_RDONLY, O_NONBLOCK, O_NOFOLLOW } = fs.constants;

/**
 * Opens a regular file for reading. With `below`, the file that was opened is judged by the path that the kernel
 * reports for it, so no link leads out and a swap in between has no effect.
 */
export async function openRegular(file: string, below?: Below): Promise<OpenedRegular> {
  try {
    if (below && !mayLieBelow(file, below.directory)) return { refused: 'outside' };
    const isNamed = pathOfDescriptor(0) !== undefined;
    return await (isNamed ? openByDescriptor(file, below) : openByPath(file, below));
  } catch (error) {
    const errno = errnoOf(error);
    if (below && !(await leadsBelow(file, below))) return { refused: 'outside' };
    return { refused: errno === 'ENOENT' || errno === 'ENOTDIR' ? 'missing' : 'unreadable', errno };
  }
}

async function openByDescriptor(file: string, below: Below | undefined): Promise<OpenedRegular> {
  const named = await fs.promises.open(file, O_PATH);
  try {
    const self = pathOfDescriptor(named.fd)!;
    if (below && !(await liesBelow(await fs.promises.readlink(self), below))) return { refused: 'outside' };
    const stats = await named.stat();
    if (!stats.isFile()) return { refused: 'not_regular' };
    if (below?.alone && stats.nlink > 1) return { refused: 'shared' };
    return { handle: await fs.promises.open(self, O_RDONLY | O_NONBLOCK), size: stats.size };
  } finally {
    await named.close();
  }
}

/** Where the system has no paths for descriptors: resolves the path, opens it without following a link, and compares. */
async function openByPath(file: string, below: Below | undefined): Promise<OpenedRegular> {
  const real = await fs.promises.realpath(file);
  if (below && !(await liesBelow(real, below))) return { refused: 'outside' };
  if (!(await fs.promises.lstat(real)).isFile()) return { refused: 'not_regular' };
  const handle = await fs.promises.open(real, O_RDONLY | O_NONBLOCK | O_NOFOLLOW);
  try {
    const [opened, now] = await Promise.all([handle.stat(), fs.promises.lstat(real)]);
    const same = opened.dev === now.dev && opened.ino === now.ino;
    if (same && below?.alone && opened.nlink > 1) {
      await handle.close();
      return { refused: 'shared' };
    }
    if (same && opened.isFile() && (await fs.promises.realpath(real)) === real)
      return { handle, size: opened.size };
  } catch {
    // It was moved: the open file is no longer the one asked for.
  }
  await handle.close();
  return { refused: below ? 'outside' : 'not_regular' };
}

/** Judges the path as written: refuses one that cannot be below before it is known whether it exists. */
function mayLieBelow(file: string, directory: string): boolean {
  const written = path.resolve(file);
  return isInside(written, path.resolve(directory)) || isInside(written, realOf(directory));
}

async function liesBelow(real: string, { directory, except }: Below): Promise<boolean> {
  const root = await fs.promises.realpath(directory);
  if (!isInside(real, root)) return false;
  if (kernelTrees.some((tree) => isInside(real, tree) && isInside(tree, root))) return false;
  return !except.map(realOf).some((kept) => (kept === root || isInside(kept, root)) && isInside(real, kept));
}

/** For a path that cannot be opened: whether its existing part is below, or a link leads out. */
async function leadsBelow(file: string, below: Below): Promise<boolean> {
  for (let at = path.resolve(file); ; at = path.dirname(at)) {
    try {
      const real = await fs.promises.realpath(at);
      return real === realOf(below.directory) || (await liesBelow(real, below));
    } catch {
      if (at === path.dirname(at)) return false;
      // A link to nowhere: its target is outside or unknown.
      if (isLink(at)) return false;
    }
  }
}

function isLink(file: string): boolean {
  try {
    return fs.lstatSync(file).isSymbolicLink();
  } catch {
    return false;
  }
}

function realOf(directory: string): string {
  try {
    return fs.realpathSync(directory);
  } catch {
    return path.resolve(directory);
  }
}

function isInside(file: string, directory: string): boolean {
  return file.startsWith(directory.endsWith(path.sep) ? directory : directory + path.sep);
}
