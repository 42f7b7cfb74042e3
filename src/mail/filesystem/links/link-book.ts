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

/** A mailbox of this root that also has an address on a fleet server. */
export interface MailLink {
  schema_version: 1;
  address: string;
  fleet_address: string;
  /** The domain of the fleet's addresses. */
  domain: string;
  /** Where the session kept the server's address and token when the link was made. */
  fleet_directory: string;
  linked_at_utc: string;
}

/** Everything that belongs to a link: its record, mail that waits for the server, files in transit. */
export function linkDirectory(layout: Layout, address: string): string {
  return path.join(layout.links, address);
}

const recordOf = (layout: Layout, address: string): string =>
  path.join(linkDirectory(layout, address), 'link.json');

/** Undefined if there is no link, or its record cannot be read. */
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

/** Removes the record. Refused mail beside it stays. */
export function eraseLink(layout: Layout, address: string): void {
  fs.rmSync(recordOf(layout, address), { force: true });
}
