import * as z from 'zod';
import { strict } from '../fields.ts';

/** `<session-root>/fleet/fleet.json`: the fleet server that the session is registered with. The token is beside it. */
export const fleetMembership = strict({
  schema_version: z.literal(1),
  /** One URL, or several separated by `,`. */
  url: z.string().min(1),
  /** The trusted authorities, when they are not Node's default. */
  ca_file: z.string().optional(),
  workspace_id: z.string().min(1),
  session_id: z.string().min(1),
});

export type FleetMembership = z.infer<typeof fleetMembership>;
