import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { bufferSource } from '../format/byte-source.ts';
import { IdJournal, type JournalEntry } from './id-journal.ts';
import { locateMailbox, type MailboxPaths } from './mailbox-path.ts';
import { ensureSide } from './side-directory.ts';

const NOTHING = { source: bufferSource(Buffer.alloc(0)), identity: '-' };
const FINDS_BEFORE_MEMORY = 8;
const entry = (id: string): JournalEntry => ({ id, hash: id.padEnd(16, '0') });

let directory: string;
let paths: MailboxPaths;

beforeEach(() => {
  directory = fs.mkdtempSync(path.join(os.tmpdir(), 'rouse-journal-'));
  fs.mkdirSync(path.join(directory, '.agent'));
  paths = locateMailbox(path.join(directory, '.agent', 'inbox.md'));
  ensureSide(paths);
});
afterEach(() => fs.rmSync(directory, { recursive: true, force: true }));

/** One that has looked so often that it keeps the ids in memory, and was the last to append. */
function busyJournal(): IdJournal {
  const journal = new IdJournal(paths);
  journal.rebuild(NOTHING, NOTHING);
  for (let n = 0; n <= FINDS_BEFORE_MEMORY; n++) journal.find(['nobody']);
  expect(journal.covers('-', '-')).toBe(true);
  journal.append([entry('a')], 'one', '-');
  return journal;
}

it('knows what it appended itself, and the state it left', () => {
  const journal = busyJournal();
  expect([...journal.find(['a', 'b']).keys()]).toEqual(['a']);
  expect(journal.covers('one', '-')).toBe(true);
  expect(journal.covers('other', '-')).toBe(false);
});

it('learns what another process appended since', () => {
  const journal = busyJournal();
  new IdJournal(paths).append([entry('b')], 'two', '-');
  expect([...journal.find(['a', 'b']).keys()]).toEqual(['a', 'b']);
  expect(journal.covers('one', '-')).toBe(false);
  expect(journal.covers('two', '-')).toBe(true);
  journal.append([entry('c')], 'three', '-');
  expect([...journal.find(['a', 'b', 'c']).keys()]).toEqual(['a', 'b', 'c']);
});

it('learns that its file was made again, or lost', () => {
  const journal = busyJournal();
  new IdJournal(paths).rebuild({ ...NOTHING, identity: 'made again' }, NOTHING);
  expect(journal.covers('made again', '-')).toBe(true);
  expect([...journal.find(['a']).keys()]).toEqual([]);
  fs.rmSync(paths.ids);
  expect(journal.covers('made again', '-')).toBe(false);
  expect(journal.find(['a']).size).toBe(0);
});

it('is told from memory no longer when it has outgrown its use', () => {
  const journal = busyJournal();
  const many = Array.from({ length: 40_000 }, (_, n) => entry(`message-${n}-of-many`));
  journal.append(many, 'long', '-');
  expect(journal.covers('long', '-')).toBe(false);
});
