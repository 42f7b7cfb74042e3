import type { Sqlite } from '../../../db/index.ts';

export function readMeta(db: Sqlite, key: string): string | undefined {
  return db.get<{ value: string }>('SELECT value FROM meta WHERE key = ?', [key])?.value;
}

export function writeMeta(db: Sqlite, key: string, value: string): void {
  db.run('INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)', [key, value]);
}
