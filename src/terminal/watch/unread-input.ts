import * as fs from 'node:fs';
import { nativeFunction } from '../../base/index.ts';

type Ioctl = (fd: number, request: number, type: string, out: Buffer) => number;

/** The ioctl that returns how many bytes wait to be read from a terminal. */
const FIONREAD: Partial<Record<NodeJS.Platform, number>> = { linux: 0x541b, darwin: 0x4004667f };
const { O_RDONLY, O_NOCTTY, O_NONBLOCK } = fs.constants;

let ioctl: Ioctl | undefined;

/**
 * Bytes typed into this terminal that no program has read yet; undefined if that cannot be determined. More than 0
 * means that the program which holds the terminal is not listening. 0 does not mean that it acted on them.
 */
export function unreadInput(tty: string): number | undefined {
  const request = FIONREAD[process.platform];
  if (request === undefined || tty === '') return undefined;
  let fd: number | undefined;
  try {
    ioctl ??= nativeFunction<Ioctl>('int ioctl(int fd, unsigned long request, ...)');
    fd = fs.openSync(tty, O_RDONLY | O_NOCTTY | O_NONBLOCK);
    const out = Buffer.alloc(4);
    return ioctl(fd, request, 'void *', out) === 0 ? out.readInt32LE() : undefined;
  } catch {
    return undefined;
  } finally {
    if (fd !== undefined) fs.closeSync(fd);
  }
}
