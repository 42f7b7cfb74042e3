import * as fs from 'node:fs';
import * as path from 'node:path';
import { randomHex } from '../../base/index.ts';
import type { Sql } from '../sql.ts';

const LEFT_OVER = '.snapshot-';

/**
 * Copies the directory of a running embedded database as a kill at this instant would leave it, with everything
 * committed. An open transaction blocks all other work, so the copy is quick and packing comes later. The caller
 * removes it.
 */
export async function snapshotEmbedded(sql: Sql, directory: string): Promise<string> {
  const copy = `${path.resolve(directory)}${LEFT_OVER}${randomHex(4)}`;
  await sql.exec('CHECKPOINT');
  await sql.transaction(async () => {
    fs.cpSync(directory, copy, { recursive: true, mode: fs.constants.COPYFILE_FICLONE });
    fs.chmodSync(copy, 0o700);
  });
  return copy;
}

/** Removes what a process killed during a backup left. */
export function removeSnapshots(directory: string): void {
  const { dir, base } = path.parse(path.resolve(directory));
  for (const name of fs.existsSync(dir) ? fs.readdirSync(dir) : [])
    if (name.startsWith(base + LEFT_OVER)) fs.rmSync(path.join(dir, name), { recursive: true, force: true });
}
