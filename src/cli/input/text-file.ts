import { isUtf8 } from 'node:buffer';
import * as fs from 'node:fs';
import { errnoOf, forbidden, invalid, messageOf, notFound } from '../../base/index.ts';

const MAX_BYTES = 64 * 1024 * 1024;

/** The text of the file or pipe that a flag names. Endless, binary or unreadable input is refused with the flag's name. */
export function readTextFile(flag: string, file: string): string {
  const bytes = readBounded(flag, file);
  if (!isUtf8(bytes)) throw invalid(`${flag} ${file} is not UTF-8 text`);
  return bytes.toString('utf8');
}

function readBounded(flag: string, file: string): Buffer {
  let fd: number | undefined;
  try {
    fd = fs.openSync(file, 'r');
    const chunks: Buffer[] = [];
    for (let size = 0; size <= MAX_BYTES; ) {
      const chunk = Buffer.allocUnsafe(256 * 1024);
      const got = fs.readSync(fd, chunk);
      if (got === 0) return Buffer.concat(chunks);
      chunks.push(chunk.subarray(0, got));
      size += got;
    }
  } catch (error) {
    if (errnoOf(error) === 'ENOENT')
      throw notFound(`${flag} ${file} does not exist`, { hint: 'check the path', cause: error });
    throw refusal(error)(`${flag} ${file} cannot be read: ${messageOf(error)}`, { cause: error });
  } finally {
    if (fd !== undefined) fs.closeSync(fd);
  }
  throw invalid(`${flag} ${file} is longer than ${MAX_BYTES} bytes`);
}

function refusal(error: unknown): typeof invalid {
  switch (errnoOf(error)) {
    case 'ENOENT':
    case 'ENOTDIR':
      return notFound;
    case 'EACCES':
    case 'EPERM':
      return forbidden;
    default:
      return invalid;
  }
}
