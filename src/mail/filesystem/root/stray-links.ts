import * as fs from 'node:fs';
import { boxesOf, folderOf, linkedIn, linkPath, removeLink } from '../accounts/mailbox-folder.ts';
import { listRegistrations } from '../accounts/registration-rows.ts';
import { messageFile } from '../message-file.ts';
import type { OpenRoot } from './open-root.ts';

/** Removes links without a matching state. Returns the messages whose link is missing or elsewhere. */
export function removeStrayLinks(store: OpenRoot): number[] {
  const { db, layout } = store;
  const missing: number[] = [];
  for (const registration of listRegistrations(db)) {
    if (registration.status === 'inactive') continue;
    const folder = folderOf(layout, registration);
    const linked = new Map(boxesOf(folder).map((box) => [box, new Set(linkedIn(folder, box))]));
    for (const row of db.iterate<{ seq: number; message_id: string; created_at_utc: string; box: string }>(
      `SELECT m.seq, m.message_id, m.created_at_utc, s.box FROM mail_state s JOIN messages m ON m.seq = s.seq
       WHERE s.registration = ? AND s.is_deleted = 0`,
      [registration.number],
    )) {
      const there = linked.get(row.box)?.delete(row.message_id) ?? false;
      const leads = there && fs.existsSync(linkPath({ folder, box: row.box, messageId: row.message_id }));
      if (!leads || !fs.existsSync(messageFile(layout, row))) missing.push(row.seq);
    }
    for (const [box, ids] of linked) {
      for (const messageId of ids) removeLink(linkPath({ folder, box, messageId }));
    }
  }
  return missing;
}
