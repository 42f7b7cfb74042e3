import * as fs from 'node:fs';
import * as path from 'node:path';
import { conflict, crashPoint, ensurePrivateDirectory, randomHex } from '../../../base/index.ts';
import { STANDARD_BOXES } from '../../../domain/index.ts';
import type { Layout } from '../root/layout.ts';
import { isLink, linkedDirectory } from '../root/own-directories.ts';
import { ensureBoxes } from './mailbox-folder.ts';
import type { Registration } from './registration-rows.ts';

type Place = Pick<Registration, 'mailbox_kind' | 'mailbox_path' | 'mailbox_entry_path'>;

/** Makes a mailbox's directory and its entry in mailboxes/. Repeating it changes nothing. */
export function placeMailbox(layout: Layout, place: Place, { clear }: { clear: boolean }): void {
  const entry = path.join(layout.root, place.mailbox_entry_path);
  const folder = path.resolve(layout.root, place.mailbox_path);
  if (clear) removeEntry(entry);
  crashPoint('mailbox.register.cleared');
  if (place.mailbox_kind === 'in_root' && isLink(entry)) throw linkedDirectory(layout, entry);
  if (place.mailbox_kind === 'symlink') {
    ensurePrivateDirectory(folder);
    linkEntry(entry, folder);
  }
  ensureBoxes(folder);
}

function linkEntry(entry: string, folder: string): void {
  const stat = fs.lstatSync(entry, { throwIfNoEntry: false });
  if (stat?.isSymbolicLink() && fs.readlinkSync(entry) === folder) return;
  if (stat && !stat.isSymbolicLink() && isBareFolder(entry)) removeEntry(entry);
  else if (stat) throw conflict(`${entry} exists and is not the link to ${folder}`);
  fs.symlinkSync(folder, entry);
}

/** Removes the entry in mailboxes/. A private directory behind a symlink stays. */
export function removeEntry(entry: string): void {
  const stat = fs.lstatSync(entry, { throwIfNoEntry: false });
  if (stat?.isDirectory()) fs.rmSync(entry, { recursive: true, force: true });
  else if (stat) fs.unlinkSync(entry);
}

/** Renames `mailboxes/<address>` to `mailboxes/<address>--<32 hex>` and returns the new relative path. */
export function stashEntry(layout: Layout, entryPath: string): string {
  const stashed = `${entryPath}--${randomHex(16)}`;
  const entry = path.join(layout.root, entryPath);
  if (fs.lstatSync(entry, { throwIfNoEntry: false })) fs.renameSync(entry, path.join(layout.root, stashed));
  else ensureBoxes(path.join(layout.root, stashed));
  crashPoint('mailbox.register.stashed');
  return stashed;
}

/** True if there is nothing, or only box folders with links, as an interrupted registration leaves them. */
export function isBareFolder(entry: string): boolean {
  const stat = fs.lstatSync(entry, { throwIfNoEntry: false });
  if (!stat) return true;
  if (!stat.isDirectory()) return false;
  return fs.readdirSync(entry, { withFileTypes: true }).every((box) => {
    if (!box.isDirectory() || !(STANDARD_BOXES as readonly string[]).includes(box.name)) return false;
    return fs
      .readdirSync(path.join(entry, box.name), { withFileTypes: true })
      .every((file) => file.isSymbolicLink());
  });
}
