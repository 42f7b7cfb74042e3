import * as fs from 'node:fs';

/** Files of SQLite that this process has open. A database that was closed holds its own until its statements are collected. */
export function openDatabases(): number {
  const files = fs.readdirSync('/proc/self/fd').map((fd) => {
    try {
      return fs.readlinkSync(`/proc/self/fd/${fd}`);
    } catch {
      return '';
    }
  });
  return files.filter((file) => /\.sqlite(-wal|-shm)?( \(deleted\))?$/.test(file)).length;
}
