import * as path from 'node:path';
import type { FleetClient } from '../client/index.ts';
import type { Flag, Input } from './command.ts';
import { notBlank } from './flag-values.ts';

/** Which server, and as whom. */
export const FLEET_FLAGS: Flag[] = [
  {
    name: 'fleet-url',
    value: 'URL',
    summary: 'the fleet server; default ROUSE_FLEET_URL, else http://127.0.0.1:9889',
    parse: notBlank,
  },
  {
    name: 'fleet-token-file',
    value: 'FILE',
    summary:
      "whose token; default: the session's own, else ROUSE_FLEET_TOKEN_FILE, else this host's admin token",
    parse: notBlank,
  },
];

/**
 * Speaks as whoever the token file says: the one of the flag; inside an agent's session the agent's own, even when the
 * person's token stands in the environment it was started with; else that; else the administrator's of this host.
 */
export async function fleetOf({ flags, env, settings }: Input): Promise<FleetClient> {
  const { DEFAULT_FLEET_URL, FleetClient, readTokenFile, sessionFleet, sessionFleetClient } = await import(
    '../client/index.ts'
  );
  const url = flags['fleetUrl'] as string | undefined;
  const file = flags['fleetTokenFile'] as string | undefined;
  const manifest = env['HOUMAO_MANIFEST_PATH'];
  const session = manifest && !url && !file ? sessionFleet(path.dirname(manifest)) : undefined;
  if (session) return sessionFleetClient(session);
  return new FleetClient({
    url: url ?? (env['ROUSE_FLEET_URL'] || DEFAULT_FLEET_URL),
    token: readTokenFile(
      file ?? (env['ROUSE_FLEET_TOKEN_FILE'] || path.join(settings.home, 'server', 'admin-token')),
    ),
  });
}
