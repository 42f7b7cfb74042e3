import * as fs from 'node:fs';
import * as path from 'node:path';
import { ensurePrivateDirectory, errnoOf } from '../../base/index.ts';
import { isMessageId, STANDARD_BOXES } from '../../domain/index.ts';
import { canonicalPath, type Layout } from './layout.ts';
import type { Registration } from './registration-rows.ts';

/** The directory that holds a mailbox's boxes, wherever it is. */
export function folderOf(layout: Layout, registration: Pick<Registration, 'mailbox_path'>): string {
  return path.resolve(layout.root, registration.mailbox_path);
}

export function ensureBoxes(folder: string): void {
  for (const box of STANDARD_BOXES) ensurePrivateDirectory(path.join(folder, box));
}

/** A link in a box, relative so that the root can be moved. Boxes are views: a link that is wrong is replaced. */
export function linkMessage(
  layout: Layout,
  link: { folder: string; box: string; messageId: string; createdAtUtc: string },
): void {
  const directory = path.join(link.folder, link.box);
  const at = path.join(directory, `${link.messageId}.md`);
  const file = path.join(layout.root, canonicalPath(link.messageId, link.createdAtUtc));
  const target = path.relative(realDirectory(layout, directory), file);
  try {
    fs.symlinkSync(target, at);
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') {
      ensureBoxes(link.folder);
      ensurePrivateDirectory(directory);
    } else if (errnoOf(error) !== 'EEXIST') throw error;
    else if (readLink(at) === target) return;
    fs.rmSync(at, { force: true });
    fs.symlinkSync(target, at);
  }
}

/** Inside the root paths are what they seem; a private directory elsewhere may be reached through links. */
function realDirectory(layout: Layout, directory: string): string {
  if (directory.startsWith(`${layout.root}${path.sep}`)) return directory;
  try {
    return fs.realpathSync(directory);
  } catch {
    return directory;
  }
}

/** Our links of this message in every box but the ones named. */
export function unlinkMessage(folder: string, messageId: string, except: readonly string[]): void {
  for (const box of boxesOf(folder)) {
    if (!except.includes(box)) removeLink(path.join(folder, box, `${messageId}.md`));
  }
}

export function removeLink(at: string): void {
  if (readLink(at) !== undefined) fs.rmSync(at, { force: true });
}

export function boxesOf(folder: string): string[] {
  try {
    return fs
      .readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => name);
  } catch (error) {
    if (errnoOf(error) === 'ENOENT' || errnoOf(error) === 'ENOTDIR') return [];
    throw error;
  }
}

/** The message ids linked in a box. */
export function linkedIn(folder: string, box: string): string[] {
  return fs
    .readdirSync(path.join(folder, box), { withFileTypes: true })
    .filter((entry) => entry.isSymbolicLink() && entry.name.endsWith('.md'))
    .map(({ name }) => name.slice(0, -3))
    .filter(isMessageId);
}

function readLink(at: string): string | undefined {
  try {
    return fs.readlinkSync(at);
  } catch {
    return undefined;
  }
}
