import * as fs from 'node:fs';
import * as path from 'node:path';
import { ensurePrivateDirectory, errnoOf } from '../../../base/index.ts';
import { isMessageId, STANDARD_BOXES } from '../../../domain/index.ts';
import type { LinkToMake } from '../publish/make-visible.ts';
import { canonicalPath, type Layout } from '../root/layout.ts';
import type { Registration } from './registration-rows.ts';

/** One message in one box of one mailbox. */
export interface BoxLink {
  folder: string;
  box: string;
  formerBox?: string | undefined;
  messageId: string;
  createdAtUtc: string;
}

/** The directory with a mailbox's boxes, inside the root or elsewhere. */
export function folderOf(layout: Layout, registration: Pick<Registration, 'mailbox_path'>): string {
  return path.resolve(layout.root, registration.mailbox_path);
}

export function ensureBoxes(folder: string): void {
  for (const box of STANDARD_BOXES) ensurePrivateDirectory(path.join(folder, box));
}

export function linkPath({ folder, box, messageId }: Pick<BoxLink, 'folder' | 'box' | 'messageId'>): string {
  return `${folder}/${box}/${messageId}.md`;
}

/** The link to make. It is relative, so that the root can be moved. */
export function linkToMake(layout: Layout, link: BoxLink): LinkToMake {
  const { folder, box, formerBox, messageId, createdAtUtc } = link;
  return {
    at: linkPath(link),
    target: `${wayToRoot(layout, `${folder}/${box}`)}/${canonicalPath(messageId, createdAtUtc)}`,
    ...(formerBox === undefined || formerBox === box
      ? {}
      : { former: linkPath({ ...link, box: formerBox }) }),
  };
}

/** Paths inside the root are real. A private directory elsewhere may be reached through links. */
function wayToRoot({ root }: Layout, directory: string): string {
  if (directory.startsWith(`${root}/`))
    return directory
      .slice(root.length)
      .replace(/\/[^/]+/g, '/..')
      .slice(1);
  let real = directory;
  try {
    real = fs.realpathSync(directory);
  } catch {
    // Not there yet.
  }
  return path.relative(real, root) || '.';
}

/** Removes our links to this message from every box except these. */
export function clearLinks(folder: string, messageId: string, except: readonly string[]): void {
  for (const box of boxesOf(folder)) {
    if (!except.includes(box)) removeLink(linkPath({ folder, box, messageId }));
  }
}

/** Removes a link, but never a file that someone put there. */
export function removeLink(at: string): void {
  if (fs.lstatSync(at, { throwIfNoEntry: false })?.isSymbolicLink()) fs.rmSync(at, { force: true });
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
