import * as path from 'node:path';

/** Where everything is in a mailbox root. Paths in the index are relative to it, so that it can be moved. */
export interface Layout {
  root: string;
  marker: string;
  index: string;
  /** Flags and registrations, appended at each change, for rebuilding a lost index. */
  stateJournal: string;
  messages: string;
  mailboxes: string;
  managed: string;
  staging: string;
  quarantine: string;
  locks: string;
  signals: string;
  /** Mailboxes that also have an address on a fleet server. */
  links: string;
  rules: string;
}

export function layoutOf(root: string): Layout {
  const at = (...parts: string[]): string => path.join(root, ...parts);
  return {
    root,
    marker: at('protocol-version.txt'),
    index: at('index.sqlite'),
    stateJournal: at('state.journal'),
    messages: at('messages'),
    mailboxes: at('mailboxes'),
    managed: at('attachments', 'managed'),
    staging: at('staging'),
    quarantine: at('staging', 'quarantine'),
    locks: at('locks'),
    signals: at('signals'),
    links: at('links'),
    rules: at('rules'),
  };
}

/** `messages/<YYYY-MM-DD>/<message id>.md`, relative to the root. */
export function canonicalPath(messageId: string, createdAtUtc: string): string {
  return `messages/${createdAtUtc.slice(0, 10)}/${messageId}.md`;
}
