/**
 * Schema: every table of the fleet, as steps that run once, on PostgreSQL and on the embedded database alike.
 *
 * Never     Changes a step that was released; the next change is a new step at the end.
 */
import type { SqlMigration } from '../../db/index.ts';
import { CALLS } from './calls.ts';
import { DELIVERY, HAND_OUT, TURNS } from './delivery.ts';
import { HOST_IDENTITY, HOSTS_AND_GRANTS, IDENTITY, PAUSES } from './identity.ts';
import { MAIL, WAITS } from './mail.ts';
import { PAGE, PAGE_MUTES, PAGE_VISITS } from './page.ts';
import { LISTS, REQUEST_RECIPIENTS, REQUESTS, REQUESTS_LAST_NUDGED } from './requests.ts';
import { SWEEP } from './sweep.ts';

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
  { id: '20261117000300_lists', sql: LISTS },
  { id: '20261117000400_calls', sql: CALLS },
  { id: '20261117000600_hand_out', sql: HAND_OUT },
  { id: '20261119000000_pauses', sql: PAUSES },
  { id: '20261119000100_waits', sql: WAITS },
  { id: '20261119000200_page_mutes', sql: PAGE_MUTES },
  { id: '20261119000300_page_visits', sql: PAGE_VISITS },
];
