import * as fs from 'node:fs';
import * as path from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseDocument } from '../../src/mail/filesystem/document-text.ts';
import { openMailStore } from '../../src/mail/filesystem/index.ts';
import { sampled } from '../support/sample.ts';
import { proveArchiveSurvives, proveSendSurvives } from './crash.ts';
import { filesystemStore } from './filesystem-store.ts';
import { runChild, temporaryDirectory } from './harness.ts';

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
  it.each(sampled('delivery', DELIVERY, 4))(
    'kill -9 during a delivery, then the same send again at %s leaves exactly one copy, in the index and in the folders',
    async (point) => {
      await proveSendSurvives(filesystemStore, point, (root) => {
        expect(linksIn(root, 'bob', 'inbox')).toEqual(['crash', 'earlier']);
        expect(linksIn(root, 'alice', 'sent')).toEqual(['crash', 'earlier']);
        expect(messageFiles(root)).toHaveLength(2);
      });
    },
  );
});

describe('kill -9 during a delivery with a copied attachment, then the same send again', () => {
  it.each(['mailbox.attachments.copied', 'db.before-commit', 'db.after-commit'])(
    'kill -9 during a delivery with a copied attachment, then the same send again at %s leaves one message with its copy; an orphaned copy is found by cleanup',
    async (crashAt) => {
      const root = temporaryDirectory();
      try {
        const place = await filesystemStore.prepare(path.join(root, 'mail'), ['alice', 'bob']);
        const copyOf = path.join(root, 'log.txt');
        fs.writeFileSync(copyOf, 'the log');
        const to = 'bob@houmao.localhost';
        const job = {
          kind: 'send' as const,
          place,
          name: 'alice',
          to,
          subject: 's',
          body: 'b',
          key: 'k',
          copyOf,
        };
        expect((await runChild(filesystemStore, { ...job, crashAt })).signal).toBe('SIGKILL');
        expect((await runChild(filesystemStore, job)).report).toMatchObject({ sent: 1 });
        const bob = await filesystemStore.openMailbox(place, 'bob');
        const { messages } = await bob.list();
        await bob.close();
        expect(messages).toHaveLength(1);
        const { locator } = messages[0]!.attachments[0]!;
        expect(fs.readFileSync(locator!, 'utf8')).toBe('the log');
        ageCopies(String(place));
        const store = openMailStore({ root: String(place) });
        store.cleanup();
        await store.close();
        expect(fs.readdirSync(path.join(String(place), 'attachments', 'managed'))).toEqual([
          path.basename(path.dirname(locator!)),
        ]);
      } finally {
        fs.rmSync(root, { recursive: true, force: true });
      }
    },
  );
});

/** As if two hours had passed: younger copies may belong to a send in progress and are not touched. */
function ageCopies(root: string): void {
  const managed = path.join(root, 'attachments', 'managed');
  const then = Date.now() / 1000 - 7200;
  for (const id of fs.readdirSync(managed)) fs.utimesSync(path.join(managed, id), then, then);
}

describe('kill -9 while archiving, then the same archive again', () => {
  it.each(sampled('archiving', ARCHIVING, 3))(
    'kill -9 while archiving, then the same archive again at %s leaves the message in the archive and nowhere else',
    async (point) => {
      await proveArchiveSurvives(filesystemStore, point, (root) => {
        expect(linksIn(root, 'bob', 'inbox')).toEqual(['stays']);
        expect(linksIn(root, 'bob', 'archive')).toEqual(['goes']);
      });
    },
  );
});

/** Subjects of the messages that a box's links point to. */
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
