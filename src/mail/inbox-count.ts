/**
 * The third entry point of mail: counts a binding's open mail without opening its store, for views of many agents.
 * Quick to load.
 */
import * as fs from 'node:fs';
import * as path from 'node:path';
import type { MailboxBinding } from './transport.ts';

/** The directory with one entry per open message; undefined for a transport without one. */
export function inboxDirectory(binding: Partial<MailboxBinding> | null | undefined): string | undefined {
  const { transport, filesystem_root: root, address } = binding ?? {};
  if (transport !== 'filesystem' || typeof root !== 'string' || typeof address !== 'string') return undefined;
  return path.join(root, 'mailboxes', address, 'inbox');
}

/** Null if it cannot be counted this way. */
export function countInbox(binding: Partial<MailboxBinding> | null | undefined): number | null {
  const directory = inboxDirectory(binding);
  if (directory === undefined) return null;
  try {
    return fs.readdirSync(directory).filter((name) => name.endsWith('.md')).length;
  } catch {
    return null;
  }
}
