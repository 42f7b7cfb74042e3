import * as z from 'zod';
import { strict } from '../fields.ts';

/** `<session-root>/fleet/fleet.json`: which fleet server the session registered with. The token lies beside it. */
export const fleetMembership = strict({
  schema_version: z.literal(1),
  url: z.string().min(1),
  workspace_id: z.string().min(1),
  session_id: z.string().min(1),
});

export type FleetMembership = z.infer<typeof fleetMembership>;
