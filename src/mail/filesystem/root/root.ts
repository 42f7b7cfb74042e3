import * as fs from 'node:fs';
import * as path from 'node:path';
import {
  asRouseError,
  commandLine,
  conflict,
  ensurePrivateDirectory,
  errnoOf,
  invalid,
  notFound,
  RouseError,
  readIfExists,
  unsupported,
  writeFileAtomic,
} from '../../../base/index.ts';
import { openSqlite, type Sqlite } from '../../../db/index.ts';
import { isAddress, MAIL_PROTOCOL_VERSION, stashedAddress } from '../../../domain/index.ts';
import { RULES } from '../rules.ts';
import { INDEX_MIGRATIONS } from './index-schema.ts';
import { type Layout, layoutOf } from './layout.ts';
import { refuseLinkedDirectories } from './own-directories.ts';

/** How long a writer waits for others before it reports the store as busy. */
export const BUSY_TIMEOUT_MS = 30_000;

/** Makes the directory absolute and free of links, so that every process uses the same path. */
export function resolveRoot(directory: string): Layout {
  if (directory === '' || directory.includes('\u0000'))
    throw invalid('mailbox root must be a directory path');
  const absolute = path.resolve(directory);
  try {
    return layoutOf(fs.realpathSync(absolute));
  } catch (error) {
    if (errnoOf(error) === 'ENOENT' || errnoOf(error) === 'ENOTDIR') return layoutOf(absolute);
    throw error;
  }
}

/** Makes the directories of a root. The marker is written last and makes it a root. */
export function makeRoot(layout: Layout): void {
  if (isRoot(layout)) requireRoot(layout);
  else refuseStrangers(layout);
  refuseLinkedDirectories(layout);
  ensureDirectories(layout);
}

export function ensureDirectories(layout: Layout): void {
  for (const directory of directoriesOf(layout)) ensurePrivateDirectory(directory);
  for (const [name, text] of Object.entries(RULES)) {
    const file = path.join(layout.rules, name);
    if (readIfExists(file) === text) continue;
    ensurePrivateDirectory(path.dirname(file));
    writeFileAtomic(file, text, { durable: false });
  }
}

export function markRoot(layout: Layout): void {
  if (readIfExists(layout.marker) === undefined) writeFileAtomic(layout.marker, `${MAIL_PROTOCOL_VERSION}\n`);
}

function directoriesOf(layout: Layout): string[] {
  const { root, messages, mailboxes, managed, staging, locks, signals, rules } = layout;
  return [root, messages, mailboxes, managed, staging, locks, signals, rules];
}

export function isRoot(layout: Layout): boolean {
  return readIfExists(layout.marker) !== undefined;
}

/** Throws unless this build can use the root. The hint says what to do. */
export function requireRoot(layout: Layout): void {
  const marker = readIfExists(layout.marker);
  if (marker === undefined) {
    throw notFound(`there is no mailbox root at ${layout.root}`, {
      hint: `create one: ${commandLine`rouse mailbox init --mailbox-root ${layout.root}`}`,
    });
  }
  if (marker.trim() !== String(MAIL_PROTOCOL_VERSION)) {
    throw unsupported(
      `mailbox root ${layout.root} has protocol ${JSON.stringify(marker.trim().slice(0, 40))}, this version uses ${MAIL_PROTOCOL_VERSION}`,
      { hint: 'use another directory, or the program that made this one' },
    );
  }
  refuseLinkedDirectories(layout);
  if (fs.existsSync(path.join(layout.locks, 'principals'))) {
    throw unsupported(`mailbox root ${layout.root} has the old layout with locks by principal`, {
      hint: 'use another directory: rouse mailbox init --mailbox-root DIR',
    });
  }
  if (isForeign(layout)) {
    throw unsupported(`mailbox root ${layout.root} was made by another program`, {
      hint: `use another directory, or take it over with its mail: ${commandLine`rouse mailbox repair --mailbox-root ${layout.root}`}`,
    });
  }
  const stranger = unknownEntries(layout)[0];
  if (stranger !== undefined) {
    throw unsupported(`mailbox root ${layout.root} has an entry mailboxes/${stranger} that is no mailbox`, {
      hint: 'move it out of mailboxes/',
    });
  }
}

/** It has an index, but lacks a directory that every root of ours has: the same message files, another index. */
export function isForeign(layout: Layout): boolean {
  const hasSignals = fs.lstatSync(layout.signals, { throwIfNoEntry: false }) !== undefined;
  return fs.existsSync(layout.index) && isRoot(layout) && !hasSignals;
}

/** Names in mailboxes/ that are neither an address nor a stashed mailbox. */
export function unknownEntries(layout: Layout): string[] {
  try {
    return fs
      .readdirSync(layout.mailboxes)
      .filter((name) => stashedAddress(name) === undefined && !isAddress(name));
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return [];
    throw error;
  }
}

/** Opens the index. A root that has messages but no index is never treated as empty. */
export function openIndex(layout: Layout, options: { make: boolean }): Sqlite {
  if (!fs.existsSync(layout.index)) {
    const hasMail = fs.existsSync(layout.messages) && fs.readdirSync(layout.messages).length > 0;
    if (hasMail || !options.make) {
      throw notFound(`the index of mailbox root ${layout.root} is missing`, {
        hint: `rebuild it from the message files: ${commandLine`rouse mailbox repair --mailbox-root ${layout.root}`}`,
      });
    }
  }
  const readOnly = !options.make && isSealed(layout);
  try {
    return openSqlite({
      file: layout.index,
      migrations: INDEX_MIGRATIONS,
      busyTimeoutMs: BUSY_TIMEOUT_MS,
      turnFile: `${layout.locks}/commit.lock`,
      readOnly,
      // A log beside the index may belong to a running process, or hold commits that are not in the index yet.
      immutable: readOnly && !fs.existsSync(`${layout.index}-wal`),
    });
  } catch (error) {
    const { code, message } = asRouseError(error);
    if (code !== 'internal') throw error;
    throw new RouseError(code, message, {
      hint: `rebuild it from its readable parts and the message files: ${commandLine`rouse mailbox repair --mailbox-root ${layout.root}`}`,
      cause: error,
    });
  }
}

/** On a read-only disk, or write-protected for everyone: no one changes it while it is read. */
function isSealed({ root, index }: Layout): boolean {
  return [root, index].every((file) => {
    try {
      fs.accessSync(file, fs.constants.W_OK);
      return false;
    } catch (error) {
      return errnoOf(error) === 'EROFS' || (fs.statSync(file).mode & 0o222) === 0;
    }
  });
}

/** A directory with other content must not become a mailbox root by accident. */
function refuseStrangers(layout: Layout): void {
  const ours = new Set([
    'attachments',
    'index.sqlite',
    'index.sqlite-shm',
    'index.sqlite-wal',
    'locks',
    'mailboxes',
    'messages',
    'rules',
    'signals',
    'staging',
    'state.journal',
  ]);
  let names: string[];
  try {
    names = fs.readdirSync(layout.root);
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return;
    if (errnoOf(error) === 'ENOTDIR') throw invalid(`${layout.root} is not a directory`);
    throw error;
  }
  const stranger = names.find((name) => !ours.has(name) && !name.startsWith('.protocol-version.txt.tmp-'));
  if (stranger === undefined) return;
  throw conflict(`${layout.root} is not empty and not a mailbox root (it contains ${stranger})`, {
    hint: 'choose an empty or new directory',
  });
}
