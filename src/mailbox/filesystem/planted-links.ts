import * as fs from 'node:fs';
import * as path from 'node:path';
import { STANDARD_BOXES } from '../../domain/index.ts';
import { folderOf } from './mailbox-folder.ts';
import { quarantine } from './message-scan.ts';
import type { OpenRoot } from './open-root.ts';
import { listRegistrations } from './registration-rows.ts';

/** Puts links aside that stand where a directory of ours belongs, a day of messages or a box; answers where they are now. */
export function setLinksAside(store: OpenRoot, stamp: string): string[] {
  const { layout } = store;
  const days = namesIn(layout.messages).map((name) => path.join(layout.messages, name));
  return [...days, ...boxDirectories(store)].filter(isLink).map((link) => {
    try {
      return quarantine(layout, link, stamp);
    } catch {
      // A private mailbox directory may be on another disk: only the name of its target is lost.
      fs.rmSync(link);
      return link;
    }
  });
}

function boxDirectories({ db, layout }: OpenRoot): string[] {
  return listRegistrations(db)
    .filter(({ status }) => status !== 'inactive')
    .flatMap((registration) => {
      const used = db.all<{ box: string }>('SELECT DISTINCT box FROM mail_state WHERE registration = ?', [
        registration.number,
      ]);
      const boxes = new Set([...STANDARD_BOXES, ...used.map(({ box }) => box)]);
      return [...boxes].map((box) => path.join(folderOf(layout, registration), box));
    });
}

function namesIn(directory: string): string[] {
  return fs.existsSync(directory) ? fs.readdirSync(directory) : [];
}

function isLink(file: string): boolean {
  return fs.lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() === true;
}
