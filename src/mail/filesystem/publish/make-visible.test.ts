import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { makeVisible, type ToMake } from './make-visible.ts';

let place: string;
let root: string;
beforeEach(() => {
  place = fs.mkdtempSync(path.join(os.tmpdir(), 'rouse-visible-'));
  root = path.join(place, 'mail');
  fs.mkdirSync(path.join(root, 'staging'), { recursive: true });
});
afterEach(() => fs.rmSync(place, { recursive: true, force: true }));

const message = (): ToMake => ({
  file: {
    staged: path.join(root, 'staging/one.md'),
    file: path.join(root, 'messages/2026-01-01/one.md'),
    text: 'one',
  },
  links: [
    {
      at: path.join(root, 'mailboxes/ana@x/inbox/one.md'),
      target: '../../../messages/2026-01-01/one.md',
      former: path.join(root, 'mailboxes/ana@x/later/one.md'),
    },
  ],
});

it('publishing makes the directories that a message needs below the root', () => {
  makeVisible(root, message(), new Set());
  expect(fs.readFileSync(path.join(root, 'mailboxes/ana@x/inbox/one.md'), 'utf8')).toBe('one');
});

it.each([
  ['file and link', (whole: ToMake) => whole],
  ['link', ({ links }: ToMake) => ({ links })],
])('publishing a %s does not bring back part of a root that was moved away', (_, part) => {
  const known = new Set<string>();
  makeVisible(root, message(), known);
  fs.renameSync(root, `${root}.away`);
  expect(() => makeVisible(root, part(message()), known)).toThrow();
  expect(fs.readdirSync(place)).toEqual(['mail.away']);
});
