import * as fs from 'node:fs';
import { promisify } from 'node:util';
import { errnoOf, internal, nativeFunction } from '../../../base/index.ts';

/** From this count on, one flush of the whole file system is cheaper than one per file. */
const MANY = 64;

type SyncFs = { async(fd: number, done: (error: Error | null, result: number) => void): void };
const fsync = promisify(fs.fsync) as (fd: number) => Promise<void>;
let syncfs: SyncFs | undefined;

/** Resolves when these files and directories would survive a power cut. Does not block the event loop. */
export async function flushToDisk(paths: readonly string[]): Promise<void> {
  if (paths.length >= MANY && process.platform === 'linux') {
    await flushFileSystem(paths[0]!);
    return;
  }
  for (const path of paths) await flushOne(path);
}

async function flushOne(path: string): Promise<void> {
  let fd: number;
  try {
    fd = fs.openSync(path, 'r');
  } catch (error) {
    // Removed in the meantime, so there is nothing to keep.
    if (errnoOf(error) === 'ENOENT') return;
    throw error;
  }
  try {
    await fsync(fd);
  } finally {
    fs.closeSync(fd);
  }
}

async function flushFileSystem(path: string): Promise<void> {
  syncfs ??= nativeFunction<SyncFs>('int syncfs(int fd)');
  const call = syncfs;
  const fd = fs.openSync(path, 'r');
  try {
    await new Promise<void>((resolve, reject) => {
      call.async(fd, (error, result) => {
        if (error || result !== 0) reject(error ?? internal('the file system could not be flushed'));
        else resolve();
      });
    });
  } finally {
    fs.closeSync(fd);
  }
}
