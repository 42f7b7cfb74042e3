import * as fs from 'node:fs';
import * as path from 'node:path';
import {
  ensurePrivateDirectory,
  errnoOf,
  fsyncDirectory,
  readJsonIfExists,
  writeJsonAtomic,
} from '../../../base/index.ts';
import { isAddress } from '../../../domain/index.ts';
import type { Layout } from '../root/layout.ts';

/** A mailbox of this root that has an address on a fleet server, too. */
export interface MailLink {
  schema_version: 1;
  address: string;
  fleet_address: string;
  /** What the addresses of that fleet end with. */
  domain: string;
  /** Where the session kept the server's address and its token when the link was made. */
  fleet_directory: string;
  linked_at_utc: string;
}

/** Everything a link keeps: its record, mail that waits for the server, files on their way. */
export function linkDirectory(layout: Layout, address: string): string {
  return path.join(layout.links, address);
}

const recordOf = (layout: Layout, address: string): string =>
  path.join(linkDirectory(layout, address), 'link.json');

/** Undefined: it has none, or nobody can read the record. */
export function readLink(layout: Layout, address: string): MailLink | undefined {
  try {
    const found = readJsonIfExists(recordOf(layout, address)) as Partial<MailLink> | undefined;
    const sound =
      found?.schema_version === 1 &&
      found.address === address &&
      [found.fleet_address, found.domain, found.fleet_directory].every((text) => typeof text === 'string');
    return sound ? (found as MailLink) : undefined;
  } catch {
    return undefined;
  }
}

export function listLinks(layout: Layout): MailLink[] {
  try {
    const names = fs.readdirSync(layout.links).filter(isAddress).sort();
    return names.flatMap((address) => readLink(layout, address) ?? []);
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return [];
    throw error;
  }
}

export function writeLink(layout: Layout, link: MailLink): void {
  ensurePrivateDirectory(layout.links);
  ensurePrivateDirectory(linkDirectory(layout, link.address));
  writeJsonAtomic(recordOf(layout, link.address), link);
  fsyncDirectory(layout.links);
}

/** What still lies beside the record (refused mail) stays. */
export function eraseLink(layout: Layout, address: string): void {
  fs.rmSync(recordOf(layout, address), { force: true });
}
