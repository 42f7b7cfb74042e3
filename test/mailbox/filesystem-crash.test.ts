import * as fs from 'node:fs';
import * as path from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseDocument } from '../../src/mailbox/filesystem/document-text.ts';
import { proveArchiveSurvives, proveSendSurvives } from './crash.ts';
import { filesystemStore } from './filesystem-store.ts';

const DELIVERY = [
  'mailbox.deliver.begin',
  'mailbox.deliver.rows',
  'db.before-commit',
  'db.after-commit',
  'mailbox.commit.flushed',
  'mailbox.deliver.signalled',
  'mailbox.publish.staged',
  'mailbox.publish.file',
  'mailbox.publish.links',
  'mailbox.flush.synced',
  'mailbox.flush.settled',
];

const ARCHIVING = [
  'mailbox.change.begin',
  'mailbox.flags.rows',
  'db.before-commit',
  'db.after-commit',
  'mailbox.commit.flushed',
  'mailbox.change.signalled',
  'mailbox.relink.moved',
  'mailbox.flush.synced',
  'mailbox.flush.settled',
];

describe('kill -9 during a delivery, then the same send again', () => {
  it.each(DELIVERY)('at %s leaves exactly one copy, in the index and in the folders', async (point) => {
    await proveSendSurvives(filesystemStore, point, (root) => {
      expect(linksIn(root, 'bob', 'inbox')).toEqual(['crash', 'earlier']);
      expect(linksIn(root, 'alice', 'sent')).toEqual(['crash', 'earlier']);
      expect(messageFiles(root)).toHaveLength(2);
    });
  });
});

describe('kill -9 while archiving, then the same archive again', () => {
  it.each(ARCHIVING)('at %s leaves the message in the archive and nowhere else', async (point) => {
    await proveArchiveSurvives(filesystemStore, point, (root) => {
      expect(linksIn(root, 'bob', 'inbox')).toEqual(['stays']);
      expect(linksIn(root, 'bob', 'archive')).toEqual(['goes']);
    });
  });
});

/** Subjects of the messages that links of a box lead to. */
function linksIn(root: unknown, name: string, box: string): string[] {
  const directory = path.join(String(root), 'mailboxes', `${name}@houmao.localhost`, box);
  return fs
    .readdirSync(directory)
    .map((file) => parseDocument(fs.readFileSync(path.join(directory, file), 'utf8'), file).subject)
    .sort();
}

function messageFiles(root: unknown): string[] {
  return fs
    .readdirSync(path.join(String(root), 'messages'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'));
}
