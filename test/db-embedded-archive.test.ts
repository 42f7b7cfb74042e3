import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { packDirectory, unpackDirectory } from '../src/db/embedded/archive.ts';
import { archiveName } from '../src/db/embedded/directory.ts';
import { openEmbedded } from '../src/db/index.ts';
import { TEMPLATES } from './support/fleet.ts';

let root: string;
beforeEach(() => {
  root = fs.mkdtempSync(path.join(os.tmpdir(), 'rouse-archive-'));
});
afterEach(() => fs.rmSync(root, { recursive: true, force: true }));

it('a packed database, unpacked, is a database of its own', async () => {
  const at = (name: string): string => path.join(root, name);
  await (await openEmbedded({ directory: at('first'), templateDirectory: TEMPLATES })).close();
  fs.writeFileSync(at(archiveName()), packDirectory(at('first')));
  const sql = await openEmbedded({ directory: at('second'), archiveDirectory: root });
  try {
    await sql.exec('CREATE TABLE kept (text text)');
    await sql.query('INSERT INTO kept VALUES ($1)', ['yes']);
    expect((await sql.query('SELECT text FROM kept')).rows).toEqual([{ text: 'yes' }]);
  } finally {
    await sql.close();
  }
  expect(fs.statSync(at('second')).mode & 0o777).toBe(0o700);
});

it.each(['../outside', '/etc/outside'])(
  'an archive that leads to %s is refused, and nothing is written there',
  (name) => {
    const archive = path.join(root, 'bad.gz');
    fs.writeFileSync(archive, gzipSync(`${JSON.stringify({ path: name, size: 1 })}\nx`));
    expect(() => unpackDirectory(archive, path.join(root, 'inside'))).toThrow(
      'not an archive that Rouse wrote',
    );
    expect(fs.existsSync(path.join(root, 'outside'))).toBe(false);
  },
);
