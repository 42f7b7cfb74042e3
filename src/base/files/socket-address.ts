import * as fs from 'node:fs';
import * as path from 'node:path';
import { pathOfDescriptor } from '../system/index.ts';

/** The path of a Unix socket is limited to about a hundred bytes. A longer one goes through its open directory. */
export function socketAddress(socket: string): { path: string; close: () => void } {
  if (Buffer.byteLength(socket) < 100) return { path: socket, close: () => {} };
  const directory = path.dirname(socket);
  const fd = fs.openSync(directory, 'r');
  const short = pathOfDescriptor(fd) ?? directory;
  return { path: `${short}/${path.basename(socket)}`, close: () => fs.closeSync(fd) };
}
