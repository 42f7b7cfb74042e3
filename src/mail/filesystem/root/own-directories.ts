import * as fs from 'node:fs';
import * as path from 'node:path';
import { commandLine, conflict, ensurePrivateDirectory } from '../../../base/index.ts';
import { quarantine } from '../repair/message-scan.ts';
import type { Layout } from './layout.ts';

/** Every directory of a root, parents first. The place for what is set aside comes first of all. */
function ownDirectories(layout: Layout): string[] {
  const { staging, messages, mailboxes, managed, locks, signals, links, rules } = layout;
  return [
    staging,
    layout.quarantine,
    messages,
    mailboxes,
    path.dirname(managed),
    managed,
    locks,
    signals,
    links,
    rules,
    path.join(rules, 'protocols'),
  ];
}

export function isLink(file: string): boolean {
  return fs.lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() === true;
}

/** Throws if a directory of the root is a link: what is written there would land elsewhere. */
export function refuseLinkedDirectories(layout: Layout): void {
  const link = ownDirectories(layout).find(isLink);
  if (link !== undefined) throw linkedDirectory(layout, link);
}

export function linkedDirectory(layout: Layout, link: string): Error {
  return conflict(
    `${link} is a link where a directory of the mailbox root belongs; nothing is written through it`,
    {
      hint: `put a directory there, or have the link put aside: ${commandLine`rouse mailbox repair --mailbox-root ${layout.root}`}`,
      facts: { path: link },
    },
  );
}

/** Replaces each such link with a directory and returns where the links are now. */
export function replaceLinkedDirectories(layout: Layout, stamp: string): string[] {
  return ownDirectories(layout).flatMap((directory) => {
    if (!isLink(directory)) return [];
    // Renamed within the root first, because it may be on the path to the place for what is set aside.
    const held = path.join(layout.root, `${path.basename(directory)}.link-${stamp}`);
    fs.renameSync(directory, held);
    ensurePrivateDirectory(directory);
    return [quarantine(layout, held, stamp)];
  });
}
