import { invalid, requireOneLine } from '../../base/index.ts';
import { LOCAL_DOMAIN, parseAddress } from '../../domain/index.ts';
import type { FleetMailServer } from '../transport.ts';

/** What the server answers when a mailbox is bound. */
export interface Bound {
  address: string;
  principal_id: string;
  /** What the addresses of the org end with. */
  domain: string;
  reused: boolean;
}

/**
 * Binds the mailbox of the agent. What the server answers is written down here and shown to the agent, so it must be what it
 * is called, and never an address of this host: whoever stands for that would get its mail.
 */
export async function askBind(server: FleetMailServer, body: object): Promise<Bound> {
  const { address, principal_id, domain, reused } = await server.ask<Bound>('bind', { body });
  const field = 'the address that the fleet server gives';
  const own = parseAddress(String(address), field);
  if (!own.endsWith(`@${domain}`) || domain === LOCAL_DOMAIN)
    throw invalid(`${field}, ${own}, is not one of its domain ${JSON.stringify(domain)}`);
  const principal = requireOneLine(String(principal_id), 'the principal that the fleet server gives');
  return { address: own, principal_id: principal, domain, reused };
}
