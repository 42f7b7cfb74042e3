import * as fs from 'node:fs';
import * as path from 'node:path';
import { STANDARD_BOXES } from '../../../domain/index.ts';
import { folderOf } from '../accounts/mailbox-folder.ts';
import { listRegistrations } from '../accounts/registration-rows.ts';
import { quarantine } from '../repair/message-scan.ts';
import type { OpenRoot } from './open-root.ts';
import { isLink } from './own-directories.ts';

/** Links in the place of a directory of ours: a day of messages, a mailbox in the root, a box. */
export function plantedLinks(store: OpenRoot): string[] {
  const { layout } = store;
  const days = namesIn(layout.messages).map((name) => path.join(layout.messages, name));
  return [...days, ...mailDirectories(store)].filter(isLink);
}

/** Sets these links aside and returns where they are now. */
export function setLinksAside(store: OpenRoot, stamp: string): string[] {
  const { layout } = store;
  return plantedLinks(store).map((link) => {
    try {
      return quarantine(layout, link, stamp);
    } catch {
      // A private mailbox directory may be on another disk. Only the link's target path is lost.
      fs.rmSync(link);
      return link;
    }
  });
}

/** Yields a mailbox before its boxes, because boxes behind a link must not be looked at. */
function mailDirectories({ db, layout }: OpenRoot): string[] {
  return listRegistrations(db)
    .filter(({ status }) => status !== 'inactive')
    .flatMap((registration) => {
      const used = db.all<{ box: string }>('SELECT DISTINCT box FROM mail_state WHERE registration = ?', [
        registration.number,
      ]);
      const boxes = new Set([...STANDARD_BOXES, ...used.map(({ box }) => box)]);
      const folder = folderOf(layout, registration);
      if (registration.mailbox_kind === 'in_root' && isLink(folder)) return [folder];
      return [...boxes].map((box) => path.join(folder, box));
    });
}

function namesIn(directory: string): string[] {
  return fs.existsSync(directory) ? fs.readdirSync(directory) : [];
}
