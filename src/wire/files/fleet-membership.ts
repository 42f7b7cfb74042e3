import * as z from 'zod';
import { strict } from '../fields.ts';

/** `<session-root>/fleet/fleet.json`: which fleet server the session registered with. The token lies beside it. */
export const fleetMembership = strict({
  schema_version: z.literal(1),
  /** One, or several with `,` between them. */
  url: z.string().min(1),
  /** Whose certificates are believed, where that is not Node's to say. */
  ca_file: z.string().optional(),
  workspace_id: z.string().min(1),
  session_id: z.string().min(1),
});

export type FleetMembership = z.infer<typeof fleetMembership>;
