import * as z from 'zod';
import { about, name, strict } from '../fields.ts';
import { allOurs } from '../source/ours.ts';

/** An agent with the source's field names. */
export const named = {
  tracked_agent_id: z.string(),
  transport: z.enum(['tui', 'headless']),
  tool: z.string(),
  session_name: z.string(),
  terminal_id: z.string().nullable(),
  runtime_session_id: z.string(),
  tmux_session_name: z.string(),
  tmux_window_name: z.string().nullable(),
  manifest_path: z.string(),
  session_root: z.string(),
  agent_name: z.string(),
  agent_id: z.string(),
};

export const added = {
  backend: z.string(),
  owner: about(
    '`server`: launched and owned by it. `host`: by the command line.',
    z.enum(['server', 'host']),
  ),
  joined: about('Its session was started by hand and joined later.', z.boolean()),
  working_directory: z.string(),
};

export const identity = { ...named, ...allOurs(added) };

export const managedAgentIdentity = name('ManagedAgentIdentity', strict(identity));

/** Fields of many responses. */
export const version = { schema_version: z.literal(1) };
export const success = { success: z.literal(true) };
export const detail = { detail: z.string() };
export const done = { ...version, status: z.literal('ok'), action: z.string() };
export const anything = z.record(z.string(), z.unknown());
