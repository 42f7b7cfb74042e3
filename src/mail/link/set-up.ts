import { conflict, utcStamp } from '../../base/index.ts';
import {
  eraseLink,
  listLinks,
  type MailLink,
  type MailStore,
  readLink,
  standInsOf,
  writeLink,
} from '../filesystem/index.ts';
import { askBind } from '../fleet/ask-bind.ts';
import type { MailSurroundings } from '../transport.ts';
import { fleetDirectory, linkedOutbox } from './linked-outbox.ts';

export interface LinkRequest {
  /** The mailbox in the store. */
  address: string;
  principal_id: string;
  agentName: string;
  /** On the server. Default: the agent's name in the domain of its org. */
  fleetAddress?: string | undefined;
  fleetDirectory: string;
}

/** Links a mailbox of the store with an address on the server. Repeating it changes nothing. */
export async function addMailLink(
  store: MailStore,
  { address, fleetAddress, fleetDirectory: directory }: LinkRequest,
  on: MailSurroundings,
): Promise<MailLink> {
  const bound = await askBind(on.connectFleet!(directory), fleetAddress ? { address: fleetAddress } : {});
  const known = readLink(store.layout, address);
  if (known?.fleet_address === bound.address && known.fleet_directory === directory) return known;
  const link: MailLink = {
    schema_version: 1,
    address,
    fleet_address: bound.address,
    domain: bound.domain,
    fleet_directory: directory,
    linked_at_utc: utcStamp(on.clock.now()),
  };
  writeLink(store.layout, link);
  return link;
}

/**
 * Ends a link that has no waiting mail. The server then accepts no more mail for it, and keeps what it has. With the
 * last link to a fleet, its addresses are no longer known here.
 */
export async function removeMailLink(store: MailStore, link: MailLink, on: MailSurroundings): Promise<void> {
  const outbox = linkedOutbox(store, link, on);
  const waiting = (await outbox.list()).filter(({ state }) => state === 'waiting').length;
  if (waiting > 0) {
    throw conflict(`${waiting} ${waiting === 1 ? 'message waits' : 'messages wait'} for the fleet server`, {
      hint: 'carry them with "rouse mailbox link carry", or take them back with "rouse agents mail outbox cancel --message-id ID"',
    });
  }
  await outbox.flush();
  await on.connectFleet!(fleetDirectory(store, link)).ask('unbind', { body: { mode: 'deactivate' } });
  eraseLink(store.layout, link.address);
  if (listLinks(store.layout).some(({ domain }) => domain === link.domain)) return;
  for (const address of standInsOf(store, link.domain)) store.unregister(address, 'deactivate');
}
