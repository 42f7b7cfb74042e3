import * as z from 'zod';
import { BACKEND_KINDS, isAgentIdentifier, LISTENER_HOSTS, parseUtcTime } from '../../domain/index.ts';
import { absolutePath, port, rules, strict } from '../fields.ts';
import { ours } from '../source/ours.ts';
import { publishedMailbox } from './launch-plan.ts';

const identifier = z
  .string()
  .refine(isAgentIdentifier, 'must be ASCII letters, digits, "_" and "-", beginning with a letter or digit');

/** A stamp with its zone, so that a lease means the same everywhere. */
const zoned = z
  .string()
  .refine(
    (value) => parseUtcTime(value) !== undefined && /([Zz]|[+-]\d{2}:?\d{2})$/.test(value),
    'must be an ISO-8601 time with Z or an offset',
  );

/** live_agents/<agent-id>/record.json of the shared registry. It holds no secret. */
export const registryRecord = rules(
  strict({
    schema_version: z.literal(2),
    agent_name: identifier,
    agent_id: identifier,
    generation_id: z.uuid('must be a UUID'),
    published_at: zoned,
    lease_expires_at: zoned,
    identity: strict({ backend: z.enum(BACKEND_KINDS), tool: z.string() }),
    runtime: strict({
      manifest_path: absolutePath,
      session_root: absolutePath.nullish(),
      agent_def_dir: absolutePath.nullish(),
    }),
    terminal: strict({
      kind: z.literal('tmux'),
      session_name: z.string(),
      /** The tmux socket; absent means tmux's own default. */
      socket: ours(z.string().nullish()),
    }),
    gateway: strict({
      host: z.enum(LISTENER_HOSTS),
      port,
      state_path: absolutePath,
      protocol_version: z.literal('v1'),
    }).nullish(),
    mailbox: publishedMailbox.nullish(),
  }),
  ({ published_at, lease_expires_at }) =>
    parseUtcTime(lease_expires_at)! > parseUtcTime(published_at)!
      ? []
      : [{ path: ['lease_expires_at'], message: 'must be later than published_at' }],
);

export type RegistryRecord = z.infer<typeof registryRecord>;

/** Whether the lease of the record is valid; an expired record counts as absent. */
export function isFresh(record: Pick<RegistryRecord, 'lease_expires_at'>, nowMs: number): boolean {
  return parseUtcTime(record.lease_expires_at)! >= nowMs;
}
