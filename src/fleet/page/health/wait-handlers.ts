import { type Clock, messageOf } from '../../../base/index.ts';
import type { Sql } from '../../../db/index.ts';
import { type WaitEdge, waiterName, waitsDocument, whomName } from '../../../domain/index.ts';
import type { Handlers } from '../../../http/index.ts';
import type { HostMail } from '../../../session/index.ts';
import type { PAGE_ROUTES, PageWaits } from '../../../wire/index.ts';
import { mailLink, requestLink } from '../../links.ts';
import { listFleetWaits, withoutMailboxes } from '../../waits/index.ts';
import type { PageDoor } from '../door/page-door.ts';

export interface WaitHandlerParts {
  door: PageDoor;
  mail: HostMail;
  sql: Sql;
  clock: Clock;
}

const MAX_LISTED = 1000;

/** Who waits for whom: the mail of this host, and what the server has of every org. */
export function waitHandlers(on: WaitHandlerParts): Handlers<Pick<typeof PAGE_ROUTES, 'page.waits'>> {
  return {
    'page.waits': async ({ context }) => {
      on.door.require(context);
      const troubles: string[] = [];
      const trying = async (what: string, work: () => Promise<WaitEdge[]>): Promise<WaitEdge[]> => {
        try {
          return await work();
        } catch (error) {
          troubles.push(`${what}: ${messageOf(error)}`);
          return [];
        }
      };
      const edges = [
        ...(await trying('mail', async () => (await on.mail.withStore((store) => store.waits.list())) ?? [])),
        ...(await trying('requests', () => fleetWaits(on))),
      ];
      return { ...listed(edges, on.clock.now()), troubles };
    },
  };
}

async function fleetWaits({ sql, clock }: WaitHandlerParts): Promise<WaitEdge[]> {
  const { rows } = await sql.query<{ id: string }>('SELECT id FROM orgs ORDER BY id');
  const found: WaitEdge[] = [];
  for (const { id } of rows)
    found.push(...(await listFleetWaits(sql, id, clock.now())).map(withoutMailboxes));
  return found;
}

function listed(edges: readonly WaitEdge[], now: Date): Omit<PageWaits, 'troubles'> {
  const { waits, mutual, overdue } = waitsDocument(edges, now);
  const groupOf = new Map(mutual.flatMap((group, at) => group.map((agent) => [agent, at] as const)));
  const late = new Set(overdue);
  return {
    waits: waits.slice(0, MAX_LISTED).map((edge) => ({
      waiter: waiterName(edge),
      whom: whomName(edge),
      kind: edge.kind,
      subject: edge.subject,
      since_utc: edge.since_utc,
      by_utc: edge.by_utc,
      overdue: late.has(edge.ref),
      mutual: groupOf.has(edge.waiter) && groupOf.get(edge.waiter) === groupOf.get(edge.whom),
      href: hrefOf(edge),
    })),
    truncated: waits.length > MAX_LISTED,
  };
}

function hrefOf({ kind, ref, waiter }: WaitEdge): string | null {
  if (kind === 'request') return requestLink(ref);
  return kind === 'mail' && waiter.includes('@') ? mailLink(waiter, { ref }) : null;
}
