import * as fs from 'node:fs';
import * as path from 'node:path';
import { pathOfDescriptor } from '../system/index.ts';

/** The path of a Unix socket may have a hundred bytes; a directory that is open is named by less. */
export function socketAddress(socket: string): { path: string; close: () => void } {
  if (Buffer.byteLength(socket) < 100) return { path: socket, close: () => {} };
  const directory = path.dirname(socket);
  const fd = fs.openSync(directory, 'r');
  const short = pathOfDescriptor(fd) ?? directory;
  return { path: `${short}/${path.basename(socket)}`, close: () => fs.closeSync(fd) };
}
