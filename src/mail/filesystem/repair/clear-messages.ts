import * as fs from 'node:fs';
import * as path from 'node:path';
import { crashPoint } from '../../../base/index.ts';
import type { Sqlite } from '../../../db/index.ts';
import { isMessageId } from '../../../domain/index.ts';
import { boxesOf, folderOf, linkedIn, linkPath, removeLink } from '../accounts/mailbox-folder.ts';
import { bumpVersion, listRegistrations } from '../accounts/registration-rows.ts';
import { readMeta } from '../root/meta-rows.ts';
import type { OpenRoot } from '../root/open-root.ts';
import { resetSearch } from '../search-messages.ts';
import { type MaintenanceAction, type MaintenanceReport, maintenanceReport } from './maintenance.ts';

const CLEARING = 'clearing';

/** Removes every message and keeps every mailbox. Files that messages only refer to stay. */
export async function clearMessages(
  root: OpenRoot,
  { dryRun }: { dryRun: boolean },
): Promise<MaintenanceReport> {
  await root.published();
  const { db, layout } = root;
  const count = (table: string): number => db.get<{ n: number }>(`SELECT count(*) AS n FROM ${table}`)!.n;
  const planned: MaintenanceAction[] = [
    remove('canonical_messages', layout.messages, { count: count('messages') }),
    remove('mailbox_projection', layout.mailboxes, { count: count('mail_state') }),
    remove('mailbox_local_state', layout.index, { count: count('mail_state') }),
    remove('managed_attachment', layout.managed, { count: count('managed_attachments') }),
  ];
  const preserved = listRegistrations(db).map(
    ({ mailbox_entry_path: entry, registration_id }): MaintenanceAction => ({
      artifact_kind: 'active_registration',
      path: path.join(layout.root, entry),
      proposed_action: 'keep',
      reason: 'registrations are kept',
      details: { registration_id },
    }),
  );
  const scope = { kind: 'mailbox_root_messages' };
  if (dryRun) return maintenanceReport(scope, { dryRun, planned, preserved });
  const registrations = listRegistrations(db);
  await root.commit((inside) => {
    // Noted first: after a crash before the files are removed, repair must not import them as new mail.
    inside.run('INSERT OR REPLACE INTO meta (key, value) SELECT ?, coalesce(max(seq), 0) FROM messages', [
      CLEARING,
    ]);
    for (const table of ['waits', 'mail_state', 'unpublished', 'message_bodies', 'messages']) {
      inside.run(`DELETE FROM ${table}`);
    }
    resetSearch(inside);
    for (const { number } of registrations) bumpVersion(inside, number);
    root.journal.compact(inside);
  });
  crashPoint('mailbox.clear.rows');
  finishClearing(root);
  const addresses = registrations.filter(({ status }) => status === 'active').map(({ address }) => address);
  root.announceChange(addresses);
  return maintenanceReport(scope, { dryRun, planned, applied: planned, preserved });
}

function remove(
  artifact_kind: MaintenanceAction['artifact_kind'],
  at: string,
  details: Record<string, unknown>,
): MaintenanceAction {
  return { artifact_kind, path: at, proposed_action: 'remove', reason: 'all messages are cleared', details };
}

/** True after an interrupted clearing. */
export function isClearing(db: Sqlite): boolean {
  return readMeta(db, CLEARING) !== undefined;
}

/** Removes the files of messages that the index no longer has. Newer mail is in the index and stays. */
export function finishClearing({ db, layout }: OpenRoot): void {
  const isGone = (messageId: string): boolean =>
    db.get('SELECT 1 FROM messages WHERE message_id = ?', [messageId]) === undefined;
  for (const registration of listRegistrations(db)) {
    const folder = folderOf(layout, registration);
    for (const box of boxesOf(folder)) {
      for (const messageId of linkedIn(folder, box)) {
        if (isGone(messageId)) removeLink(linkPath({ folder, box, messageId }));
      }
    }
  }
  for (const day of fs.readdirSync(layout.messages)) {
    const directory = path.join(layout.messages, day);
    for (const name of fs.readdirSync(directory)) {
      const id = name.endsWith('.md') ? name.slice(0, -3) : '';
      if (isMessageId(id) && isGone(id)) fs.rmSync(path.join(directory, name), { force: true });
    }
    if (fs.readdirSync(directory).length === 0) fs.rmSync(directory, { recursive: true, force: true });
  }
  const copies = db.all<{ attachment_id: string }>(
    'SELECT attachment_id FROM managed_attachments WHERE seq NOT IN (SELECT seq FROM messages)',
  );
  for (const { attachment_id: id } of copies) {
    fs.rmSync(path.join(layout.managed, id), { recursive: true, force: true });
    db.run('DELETE FROM managed_attachments WHERE attachment_id = ?', [id]);
  }
  crashPoint('mailbox.clear.files');
  db.run('DELETE FROM meta WHERE key = ?', [CLEARING]);
}
