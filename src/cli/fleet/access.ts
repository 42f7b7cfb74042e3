import * as path from 'node:path';
import type { FleetAddress, FleetClient } from '../../client/index.ts';
import { VARIABLE } from '../../wire/houmao/index.ts';
import type { Flag, InputOf } from '../command.ts';
import { notBlank } from '../input/flag-values.ts';

/** Which server, and as whom. */
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

/** An agent's name is the org's: while one session of it beats, another is refused. */
export const TAKE_OVER = {
  name: 'take-over',
  summary: 'fleet: replace a session of the same agent that is still running on another host',
} as const satisfies Flag;

/**
 * Speaks as whoever the token file says: the one of the flag; inside an agent's session the agent's own, even when the
 * person's token stands in the environment it was started with; else that; else the administrator's of this host.
 */
export async function fleetOf(input: InputOf<typeof FLEET_FLAGS>): Promise<FleetClient> {
  const { fleetClientOf, sessionFleet } = await import('../../client/index.ts');
  const manifest = manifestOf(input.env);
  const asked = input.flags.fleetUrl || input.flags.fleetTokenFile;
  const session = manifest && !asked ? sessionFleet(path.dirname(manifest)) : undefined;
  return fleetClientOf(session ?? (await fleetPlace(input)));
}

/** The same outside of sessions. */
export async function fleetPlace({
  flags,
  settings,
  env,
}: InputOf<typeof FLEET_FLAGS>): Promise<FleetAddress> {
  const { DEFAULT_FLEET_URL } = await import('../../client/index.ts');
  // A token that a file gives to one server is not shown to another.
  const chosen = flags.fleetUrl === undefined ? settings.fleet : undefined;
  return {
    url: flags.fleetUrl ?? chosen?.url ?? DEFAULT_FLEET_URL,
    tokenFile: flags.fleetTokenFile ?? chosen?.tokenFile ?? settings.fleetTokenFile,
    caFile: env['ROUSE_FLEET_CA'] || undefined,
  };
}

/** The manifest of the session this runs in. A tool may hand on the name of a variable that is not set, as it stands. */
export function manifestOf(env: NodeJS.ProcessEnv): string | undefined {
  const manifest = env[VARIABLE.manifestPath];
  return manifest && path.isAbsolute(manifest) ? manifest : undefined;
}
