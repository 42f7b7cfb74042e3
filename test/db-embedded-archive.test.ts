import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { archiveName, packInitialised } from '../src/db/embedded/directory.ts';
import { EMBEDDED_VERSION, openEmbedded, unpackBackup } from '../src/db/index.ts';
import { TEMPLATES } from './support/fleet.ts';

const HEADER = {
  rouse_backup: 1,
  created_at: '2026-01-01T00:00:00Z',
  version: '0.0.0',
  postgres: EMBEDDED_VERSION,
  steps: [],
} as const;

let root: string;
beforeEach(() => {
  root = fs.mkdtempSync(path.join(os.tmpdir(), 'rouse-archive-'));
});
afterEach(() => fs.rmSync(root, { recursive: true, force: true }));

it('a packed database, unpacked, is a database of its own', async () => {
  const at = (name: string): string => path.join(root, name);
  await (await openEmbedded({ directory: at('first'), templateDirectory: TEMPLATES })).close();
  await packInitialised(at('first'), root);
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

it('a packed database that was cut short or damaged is refused', async () => {
  const at = (name: string): string => path.join(root, name);
  await (await openEmbedded({ directory: at('first'), templateDirectory: TEMPLATES })).close();
  await packInitialised(at('first'), root);
  const bytes = fs.readFileSync(at(archiveName()));
  const middle = bytes.length >> 1;
  const flipped = Buffer.from(bytes);
  flipped[middle]! ^= 1;
  for (const [name, wrong] of Object.entries({ cut: bytes.subarray(0, middle), flipped })) {
    fs.writeFileSync(at(archiveName()), wrong);
    const opening = openEmbedded({ directory: at(name), archiveDirectory: root });
    await expect(opening).rejects.toThrow('is not a whole backup');
    expect(fs.existsSync(at(name))).toBe(false);
  }
});

it.each(['../outside', '/etc/outside'])(
  'an archive that leads to %s is refused, and nothing is written there',
  async (name) => {
    const archive = path.join(root, 'bad.gz');
    const lines = [HEADER, { path: name, size: 1 }].map((line) => `${JSON.stringify(line)}\n`);
    fs.writeFileSync(archive, gzipSync(`${lines.join('')}x`));
    await expect(unpackBackup(archive, path.join(root, 'inside'))).rejects.toThrow(
      `"${name}" leads out of it`,
    );
    expect(fs.existsSync(path.join(root, 'outside'))).toBe(false);
  },
);
