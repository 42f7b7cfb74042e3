import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { expect, it } from 'vitest';
import { openFilesOf } from '../../../base/index.ts';
import { OutputReader } from './output-reader.ts';

it('an output reader that is closed while it opens or reads returns nothing more and leaves no file open', async () => {
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'rouse-reader-'));
  const file = path.join(directory, 'stdout');
  fs.writeFileSync(file, 'x'.repeat(600_000));
  const open = () => openFilesOf(process.pid).filter((each) => each === fs.realpathSync(file));
  const reader = new OutputReader(file);
  let taken = 0;
  const reading = reader.read((chunk) => {
    taken += chunk.length;
  });
  await reader.close();
  expect(await reading).toBe(true);
  expect(taken).toBe(0);
  expect(open()).toEqual([]);
  fs.rmSync(directory, { recursive: true });
});
