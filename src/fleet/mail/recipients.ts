import { notFound } from '../../base/index.ts';
import type { Sql } from '../../db/index.ts';
import { canonicalAddress, localPart, parseAddress, unknownRecipient } from '../../domain/index.ts';
import { LOCAL_DOMAIN } from '../../wire/houmao/index.ts';
import { mailDomain } from './domain.ts';
import { MAILBOX_COLUMNS, type MailboxRow, operatorMailbox } from './mailbox-rows.ts';

/** How many addresses are compared to find the one that was probably meant. */
const MAX_SUGGESTED = 2000;

/**
 * Returns the mailboxes of these addresses, in their order. A plain name, or an address of the local domain (which
 * hosts do not share), means the org's own. The first unknown address is refused, with a suggestion.
 */
export async function resolveRecipients(
  sql: Sql,
  orgId: string,
  typed: readonly string[],
): Promise<MailboxRow[]> {
  const domain = await mailDomain(sql, orgId);
  const wanted = typed.map((text) => ({ text, address: inDomain(canonicalAddress(text), domain) }));
  const { rows } = await sql.query<MailboxRow>(
    `SELECT ${MAILBOX_COLUMNS} FROM mailboxes WHERE org_id = $1::uuid AND address = ANY($2::text[]) AND retired_at IS NULL`,
    [orgId, wanted.flatMap(({ text, address }) => [text.trim(), address])],
  );
  const found = new Map(rows.map((row) => [row.address, row]));
  const operator = await operatorMailbox(sql, orgId);
  found.set(operator.address, operator);
  found.set(`${localPart(operator.address)}@${domain}`, operator);
  const resolved: MailboxRow[] = [];
  for (const { text, address } of wanted) {
    const mailbox = found.get(text.trim()) ?? found.get(address);
    if (!mailbox?.active) throw await unknown(sql, orgId, { text: text.trim(), mailbox });
    resolved.push(mailbox);
  }
  return resolved;
}

function inDomain(address: string, domain: string): string {
  if (!address.includes('@')) return `${address}@${domain}`;
  return address.endsWith(`@${LOCAL_DOMAIN}`) ? `${localPart(address)}@${domain}` : address;
}

async function unknown(
  sql: Sql,
  orgId: string,
  { text, mailbox }: { text: string; mailbox: MailboxRow | undefined },
): Promise<Error> {
  if (mailbox) {
    return notFound(`mailbox ${mailbox.address} is registered but inactive`, {
      hint: 'its agent brings it back with "rouse agents mailbox register --mailbox-transport fleet"',
      facts: { recipient: text, status: 'inactive' },
    });
  }
  if (text.includes('@')) parseAddress(text, 'recipient');
  const { rows } = await sql.query<Pick<MailboxRow, 'address' | 'principal_id'>>(
    'SELECT address, principal_id FROM mailboxes WHERE org_id = $1::uuid AND active ORDER BY id DESC LIMIT $2::int',
    [orgId, MAX_SUGGESTED],
  );
  const error = unknownRecipient(text, rows);
  if ((error.facts['suggestions'] as string[]).length > 0) return error;
  return notFound(error.message, {
    hint: '"rouse fleet list" shows the agents of the org',
    facts: error.facts,
  });
}
