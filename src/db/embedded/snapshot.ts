import * as fs from 'node:fs';
import * as path from 'node:path';
import { randomHex } from '../../base/index.ts';
import type { Sql } from '../sql.ts';

const LEFT_OVER = '.snapshot-';

/**
 * A copy of the directory of an embedded database that runs, as it would be after a kill at this instant: what was committed is
 * in it. Nothing runs meanwhile, because a transaction is open; so the copy is quick and packing comes after. The caller
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

/** What a process that was killed in the middle of a backup has left. */
export function removeSnapshots(directory: string): void {
  const { dir, base } = path.parse(path.resolve(directory));
  for (const name of fs.existsSync(dir) ? fs.readdirSync(dir) : [])
    if (name.startsWith(base + LEFT_OVER)) fs.rmSync(path.join(dir, name), { recursive: true, force: true });
}
