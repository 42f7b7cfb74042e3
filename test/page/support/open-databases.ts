import * as fs from 'node:fs';

/** SQLite files that a process has open. A closed database keeps its files until its statements are collected. */
export function openDatabases(pid: number | 'self' = 'self'): number {
  const files = fs.readdirSync(`/proc/${pid}/fd`).map((fd) => {
    try {
      return fs.readlinkSync(`/proc/${pid}/fd/${fd}`);
    } catch {
      return '';
    }
  });
  return files.filter((file) => /\.sqlite(-wal|-shm)?( \(deleted\))?$/.test(file)).length;
}
