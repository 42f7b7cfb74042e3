import * as path from 'node:path';
import * as z from 'zod';
import { absolutePath, strict } from '../../domain/schemas.ts';
import { OWNER } from '../transport.ts';

/** The transport's name and the prefix of its refs. */
export const FLEET = 'fleet';

export const fleetBinding = strict({
  transport: z.literal(FLEET),
  ...OWNER,
  /** The server, for people. The directory below decides which one is asked. */
  fleet_url: z.string(),
  /** Where the session keeps its server's address and token. */
  fleet_directory: absolutePath,
  bindings_version: z.string(),
});

export type FleetBinding = z.infer<typeof fleetBinding>;

/** What the mailbox keeps beside the session: mail that waits for the server, and files received with mail. */
export function mailDirectory({ fleet_directory }: Pick<FleetBinding, 'fleet_directory'>): string {
  return path.join(path.dirname(fleet_directory), 'mail');
}
