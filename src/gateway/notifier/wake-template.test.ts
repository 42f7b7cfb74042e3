import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { readWakeTemplate } from './wake-template.ts';

let own: string;
let packaged: string;

beforeEach(() => {
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'rouse-template-'));
  onTestFinished(() => fs.rmSync(directory, { recursive: true }));
  own = path.join(directory, 'own.md');
  packaged = path.join(directory, 'packaged.md');
  fs.writeFileSync(packaged, 'packaged');
});

it("the wake text is the user's own, or the packaged one if there is none", () => {
  expect(readWakeTemplate(own, packaged)).toEqual({ text: 'packaged', problem: null });
  fs.writeFileSync(own, 'mine {{mode}}');
  expect(readWakeTemplate(own, packaged)).toEqual({ text: 'mine {{mode}}', problem: null });
});

it.each<[string, RegExp, (file: string) => void]>([
  [
    'is a directory',
    /own\.md cannot be read: .* is a directory, not a file; wakes use the packaged text/,
    (file) => fs.mkdirSync(file),
  ],
  ['is a link to itself', /cannot be read: ELOOP/, (file) => fs.symlinkSync(file, file)],
  [
    'is empty',
    /own\.md has no visible text; wakes use the packaged text/,
    (file) => fs.writeFileSync(file, ''),
  ],
  ['has no visible text', /has no visible text/, (file) => fs.writeFileSync(file, ' \n\u200b\u0007\n')],
])('the wake text is the packaged one, with the cause, when the own %s', (_what, cause, make) => {
  make(own);
  expect(readWakeTemplate(own, packaged)).toEqual({
    text: 'packaged',
    problem: expect.stringMatching(cause),
  });
});
