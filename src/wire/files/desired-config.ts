import * as z from 'zod';
import {
  EXECUTION_MODES,
  LISTENER_HOSTS,
  MODES_ELSEWHERE,
  PORT_ORIGINS,
  TUI_TIMING_FIELDS,
  type TuiTimingField,
} from '../../domain/index.ts';
import { count, integer, oneOf, port, seconds, strict } from '../fields.ts';
import { allOurs, ourValues } from '../source/ours.ts';

export const tuiTimings = strict(
  Object.fromEntries(TUI_TIMING_FIELDS.map((field) => [field, seconds])) as Record<
    TuiTimingField,
    typeof seconds
  >,
);

/** desired-config.json: the settings of the last successful attach, for the next one. */
export const desiredConfigFile = strict({
  schema_version: z.literal(1),
  desired_host: z.enum(LISTENER_HOSTS).nullish(),
  desired_port: port.nullish(),
  desired_execution_mode: ourValues(MODES_ELSEWHERE, oneOf(EXECUTION_MODES)),
  desired_tui_tracking_timings: tuiTimings.nullish(),
  ...allOurs({
    /** `auto`: the system chose the port; the next attach tries it again but may take another. Absent means explicit. */
    desired_port_origin: z.enum(PORT_ORIGINS).nullish(),
    /** `attached`: a gateway should run. `stopped`: it was ended with its host, and restarts with it. Absent: neither. */
    desired_state: z.enum(['attached', 'stopped']).nullish(),
    /** Whether it runs in a host. */
    desired_hosted: z.literal(true).optional(),
    /** Uids of other accounts that may connect with the token. */
    desired_allow_users: z.array(count.max(0xffff_fffe)).nullish(),
    /** From newer versions of the source; no effect here. */
    desired_diagnostic_logging: strict({
      enabled: z.boolean().default(false),
      max_bytes: integer.min(1).max(1_073_741_824).default(1_048_576),
      backup_count: count.max(100).default(5),
    }).nullish(),
  }),
});

export type DesiredConfigFile = z.infer<typeof desiredConfigFile>;
