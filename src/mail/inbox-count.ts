/**
 * The third door of mail: how much open mail a binding has, told without opening a store, for whoever shows many agents at
 * once. Quick to load.
 */
import * as fs from 'node:fs';
import * as path from 'node:path';
import type { MailboxBinding } from './transport.ts';

/** Where the open mail of a binding is one entry per message; undefined for a transport that has no such place. */
export function inboxDirectory(binding: Partial<MailboxBinding> | null | undefined): string | undefined {
  const { transport, filesystem_root: root, address } = binding ?? {};
  if (transport !== 'filesystem' || typeof root !== 'string' || typeof address !== 'string') return undefined;
  return path.join(root, 'mailboxes', address, 'inbox');
}

/** Null where it cannot be told this way. */
export function countInbox(binding: Partial<MailboxBinding> | null | undefined): number | null {
  const directory = inboxDirectory(binding);
  if (directory === undefined) return null;
  try {
    return fs.readdirSync(directory).filter((name) => name.endsWith('.md')).length;
  } catch {
    return null;
  }
}
