import * as path from 'node:path';
import type { FleetAddress, FleetClient } from '../../client/index.ts';
import { sessionContext } from '../agents/target.ts';
import type { Flag, InputOf } from '../command.ts';
import { notBlank } from '../input/flag-values.ts';

/** Which server, and with which token. */
export const FLEET_FLAGS = [
  {
    name: 'fleet-url',
    value: 'URL',
    summary: 'the fleet server, or several with commas; default ROUSE_FLEET_URL, else http://127.0.0.1:9889',
    parse: notBlank,
  },
  {
    name: 'fleet-token-file',
    value: 'FILE',
    summary:
      "token to use (default: the session's own, then ROUSE_FLEET_TOKEN_FILE, then this host's admin token)",
    parse: notBlank,
  },
] as const satisfies readonly Flag[];

/** An agent's name is unique in its org: while one session of it sends heartbeats, another is refused. */
export const TAKE_OVER = {
  name: 'take-over',
  summary: 'fleet: replace a session of the same agent that is still running on another host',
} as const satisfies Flag;

/**
 * The client with the token of, in this order: the flag; the agent whose session this is, even if the environment names a
 * person's token; the environment; the administrator of this host.
 */
export async function fleetOf(input: InputOf<typeof FLEET_FLAGS>): Promise<FleetClient> {
  const { fleetClientOf, sessionFleet } = await import('../../client/index.ts');
  const { manifestHere } = await import('../../session/index.ts');
  const asked = input.flags.fleetUrl || input.flags.fleetTokenFile;
  const manifest = asked ? undefined : await manifestHere(sessionContext(input));
  const session = manifest ? sessionFleet(path.dirname(manifest)) : undefined;
  return fleetClientOf(session ?? (await fleetPlace(input)));
}

/** The same, without looking at the session. */
export async function fleetPlace({
  flags,
  settings,
  env,
}: InputOf<typeof FLEET_FLAGS>): Promise<FleetAddress> {
  const { DEFAULT_FLEET_URL } = await import('../../client/index.ts');
  // A token that a file names for one server is not sent to another.
  const chosen = flags.fleetUrl === undefined ? settings.fleet : undefined;
  return {
    url: flags.fleetUrl ?? chosen?.url ?? DEFAULT_FLEET_URL,
    tokenFile: flags.fleetTokenFile ?? chosen?.tokenFile ?? settings.fleetTokenFile,
    caFile: env['ROUSE_FLEET_CA'] || undefined,
  };
}
