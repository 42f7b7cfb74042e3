import * as z from 'zod';
import { about, integer, name, stamp, strict } from '../fields.ts';
import { FLEET_SERVICE } from '../houmao/index.ts';
import { allOurs } from '../source/ours.ts';

export const fleetHealth = name(
  'FleetHealth',
  strict({
    status: about('`degraded`: something keeps failing; see `reasons`.', z.enum(['ok', 'degraded'])),
    service: z.literal('rouse'),
    houmao_service: z.literal(FLEET_SERVICE),
    ...allOurs({ reasons: z.array(z.string()), instance_id: z.string(), pid: integer }),
  }),
);

export const fleetReadiness = name(
  'FleetReadiness',
  strict({
    status: z.literal('ready'),
    database: about('The kind of database.', z.enum(['postgres', 'embedded'])),
  }),
);

/** `$ROUSE_HOME/server/current-instance.json`. */
export const serverInstance = strict({
  schema_version: z.literal(1),
  instance_id: z.string(),
  pid: integer,
  process_start_ticks: integer.nullable(),
  boot_id: z.string().nullable(),
  host: z.string(),
  port: integer,
  /** Whether it uses https. */
  tls: z.boolean().optional(),
  /** How other hosts reach it, if that is configured. */
  public_url: z.string().optional(),
  database: z.enum(['postgres', 'embedded']),
  started_at_utc: stamp,
});

export type FleetHealth = z.infer<typeof fleetHealth>;
export type ServerInstance = z.infer<typeof serverInstance>;
