import { invalid, requireOneLine } from '../../base/index.ts';
import { parseAddress } from '../../domain/index.ts';
import { LOCAL_DOMAIN } from '../../wire/houmao/index.ts';
import type { FleetMailServer } from '../transport.ts';

/** The server's reply to a bind request. */
export interface Bound {
  address: string;
  principal_id: string;
  /** The domain of the org's addresses. */
  domain: string;
  reused: boolean;
}

/**
 * Binds the agent's mailbox. The reply is stored here and shown to the agent, so every field must be valid, and the
 * address must never be one of this host: its owner here would get the mail.
 */
export async function askBind(server: FleetMailServer, body: object): Promise<Bound> {
  const { address, principal_id, domain, reused } = await server.ask<Bound>('bind', { body });
  const field = 'the address from the fleet server';
  const own = parseAddress(String(address), field);
  if (!own.endsWith(`@${domain}`) || domain === LOCAL_DOMAIN)
    throw invalid(`${field}, ${own}, is not one of its domain ${JSON.stringify(domain)}`);
  const principal = requireOneLine(String(principal_id), 'the principal from the fleet server');
  return { address: own, principal_id: principal, domain, reused };
}
