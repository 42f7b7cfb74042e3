import * as fs from 'node:fs';
import { conflict, errnoOf, forbidden } from '../../../base/index.ts';
import { type ByteSource, bufferSource, fileSource } from '../format/byte-source.ts';

/** The mailbox at one instant. The open file keeps its bytes even if the path gets a new file. */
export interface Snapshot {
  source: ByteSource;
  /** -1 if there is no file. */
  fd: number;
  stat: fs.BigIntStats | undefined;
  close(): void;
}

export function openSnapshot(file: string): Snapshot {
  let fd: number;
  try {
    fd = fs.openSync(file, fs.constants.O_RDONLY | fs.constants.O_NOFOLLOW | fs.constants.O_NONBLOCK);
  } catch (error) {
    if (errnoOf(error) === 'ELOOP') throw conflict(`${file} has become a symbolic link; start again`);
    if (errnoOf(error) === 'EACCES' || errnoOf(error) === 'EPERM')
      throw forbidden(`not allowed to read ${file}`, { cause: error });
    if (errnoOf(error) !== 'ENOENT') throw error;
    return snapshot(-1, undefined);
  }
  const stat = fs.fstatSync(fd, { bigint: true });
  if (!stat.isFile()) {
    fs.closeSync(fd);
    throw conflict(`${file} is not a regular file`);
  }
  return snapshot(fd, stat);
}

function snapshot(fd: number, stat: fs.BigIntStats | undefined): Snapshot {
  // Not awaited: closing the last descriptor of a replaced file frees all its blocks, which takes time.
  const close = (): void => {
    if (fd !== -1) fs.close(fd, () => {});
  };
  const source = stat ? fileSource(fd, Number(stat.size)) : bufferSource(Buffer.alloc(0));
  return { source, fd, stat, close };
}

/** Identifies one state of a file. It changes whenever anyone writes or replaces the file; `-` if there is none. */
export function identityOf(stat: fs.BigIntStats | undefined): string {
  return stat ? `${stat.ino}:${stat.size}:${stat.mtimeNs}` : '-';
}

export function currentIdentity(file: string): string {
  return identityOf(fs.lstatSync(file, { bigint: true, throwIfNoEntry: false }));
}

/** Whether the path still holds the very bytes of the snapshot. */
export function isUnchanged(file: string, { stat }: Snapshot): boolean {
  const now = fs.lstatSync(file, { bigint: true, throwIfNoEntry: false });
  return identityOf(now) === identityOf(stat) && now?.ctimeNs === stat?.ctimeNs;
}
