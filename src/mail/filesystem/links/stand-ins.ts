import { notFound } from '../../../base/index.ts';
import { agentPrincipal, INBOX, localPart } from '../../../domain/index.ts';
import { register } from '../accounts/register.ts';
import { listRegistrations } from '../accounts/registration-rows.ts';
import type { OpenRoot } from '../root/open-root.ts';
import { ensureSignal } from '../watch/signal.ts';
import { readLink } from './link-book.ts';

/** Role of a local mailbox that represents a fleet address. Its inbox is what is still to be carried there. */
export const STAND_IN = 'fleet_link';

export const domainOf = (address: string): string => address.slice(address.lastIndexOf('@') + 1);

/**
 * A sender linked with a fleet may write to its addresses: each gets a local stand-in mailbox. Others may not, because
 * no one would carry their mail.
 */
export function admitStandIns(store: OpenRoot, from: string, typed: readonly string[]): void {
  const active = store.book.open(store.db);
  const foreign = typed
    .map((address) => address.trim())
    .filter((address) => {
      const known = active(address);
      return known === undefined || known.role === STAND_IN;
    });
  if (foreign.length === 0) return;
  const link = readLink(store.layout, from);
  for (const address of foreign) {
    const isThere = active(address)?.role === STAND_IN;
    if (link && domainOf(address) === link.domain) {
      if (!isThere && active(address) === undefined) standIn(store, address);
    } else if (isThere) throw notLinked(from, address);
  }
}

/** Its principal is the agent or person it represents. */
export function standIn(store: OpenRoot, address: string): void {
  register(store, { address, owner_principal_id: agentPrincipal(localPart(address)), role: STAND_IN });
  ensureSignal(store.layout, address);
}

function notLinked(from: string, address: string): Error {
  return notFound(`${address} is an address of a fleet, and ${from} is not linked with it`, {
    hint: `the agent of ${from} is linked with "rouse mailbox link add --agent-name NAME"`,
    facts: { recipient: address, cause: 'not_linked' },
  });
}

export interface WaitingMail {
  messageId: string;
  /** The stand-ins with this message in their inbox. */
  standIns: string[];
}

/** Mail of this sender that is still in the inbox of a stand-in for the domain, oldest first. */
export function waitingForFleet(
  { db }: OpenRoot,
  { address, domain }: { address: string; domain: string },
): WaitingMail[] {
  const rows = db.all<{ message_id: string; address: string }>(
    `SELECT m.message_id, r.address FROM mailbox_registrations r
       JOIN mail_state s ON s.registration = r.number AND s.box = '${INBOX}' AND s.is_deleted = 0
       JOIN messages m ON m.seq = s.seq
      WHERE r.role = '${STAND_IN}' AND r.status = 'active'
        AND json_extract(m.envelope_json, '$.from.address') = ? ORDER BY m.seq`,
    [address],
  );
  const waiting = new Map<string, string[]>();
  for (const row of rows.filter((each) => domainOf(each.address) === domain))
    waiting.set(row.message_id, [...(waiting.get(row.message_id) ?? []), row.address]);
  return [...waiting].map(([messageId, standIns]) => ({ messageId, standIns }));
}

/** The stand-in mailboxes for addresses of this domain. */
export function standInsOf({ db }: OpenRoot, domain: string): string[] {
  return listRegistrations(db)
    .filter(
      ({ role, status, address }) => role === STAND_IN && status === 'active' && domainOf(address) === domain,
    )
    .map(({ address }) => address);
}
