/**
 * Schema: every table of the fleet, as steps that run once, on PostgreSQL and on the embedded database alike.
 *
 * Never     Changes a step that was released; the next change is a new step at the end.
 */
import type { SqlMigration } from '../../db/index.ts';
import { DELIVERY } from './delivery.ts';
import { HOSTS_AND_GRANTS } from './hosts-and-grants.ts';
import { IDENTITY } from './identity.ts';
import { REQUEST_RECIPIENTS } from './request-recipients.ts';
import { REQUESTS } from './requests.ts';
import { REQUESTS_LAST_NUDGED } from './requests-last-nudged.ts';
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
];
