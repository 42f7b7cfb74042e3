import * as fs from 'node:fs';

/** SQLite files that this process has open. A closed database keeps its files until its statements are collected. */
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
