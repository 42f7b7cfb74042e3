/**
 * Schema: every table of the fleet, as steps that run once, on PostgreSQL and on the embedded database alike.
 *
 * Never     Changes a step that was released; the next change is a new step at the end.
 */
import type { SqlMigration } from '../../db/index.ts';
import { CALLS } from './calls.ts';
import { DELIVERY } from './delivery.ts';
import { ENDED_REQUESTS } from './ended-requests.ts';
import { FLAT_LISTS } from './flat-lists.ts';
import { HAND_OUT } from './hand-out.ts';
import { HOST_IDENTITY } from './host-identity.ts';
import { HOSTS_AND_GRANTS } from './hosts-and-grants.ts';
import { IDENTITY } from './identity.ts';
import { MAIL } from './mail.ts';
import { PAGE } from './page.ts';
import { REQUEST_RECIPIENTS } from './request-recipients.ts';
import { REQUESTS } from './requests.ts';
import { REQUESTS_LAST_NUDGED } from './requests-last-nudged.ts';
import { RETIRED_MAILBOXES } from './retired-mailboxes.ts';
import { SWEEP } from './sweep.ts';
import { TURNS } from './turns.ts';

export const FLEET_MIGRATIONS: readonly SqlMigration[] = [
  { id: '20261115000000_identity', sql: IDENTITY },
  { id: '20261115000100_delivery', sql: DELIVERY },
  { id: '20261115000200_requests', sql: REQUESTS },
  { id: '20261115000300_sweepers', sql: SWEEP },
  { id: '20260610130000_requests_last_nudged', sql: REQUESTS_LAST_NUDGED },
  { id: '20261116000000_hosts_and_grants', sql: HOSTS_AND_GRANTS },
  { id: '20261116000100_turns', sql: TURNS },
  { id: '20261116000200_request_recipients', sql: REQUEST_RECIPIENTS },
  { id: '20261117000000_page', sql: PAGE },
  { id: '20261117000100_host_identity', sql: HOST_IDENTITY },
  { id: '20261117000200_mail', sql: MAIL },
  { id: '20261117000300_flat_lists', sql: FLAT_LISTS },
  { id: '20261117000400_calls', sql: CALLS },
  { id: '20261117000500_ended_requests', sql: ENDED_REQUESTS },
  { id: '20261117000600_hand_out', sql: HAND_OUT },
  { id: '20261118000000_retired_mailboxes', sql: RETIRED_MAILBOXES },
];
