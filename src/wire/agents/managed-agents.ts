import * as z from 'zod';
import {
  EXECUTION_MODES,
  SURFACE_STAGES,
  TUI_TIMING_FIELDS,
  type TuiTimingField,
} from '../../domain/index.ts';
import {
  about,
  absolutePath,
  bounded,
  count,
  integer,
  name,
  names,
  notBlank,
  oneOf,
  schemaVersion,
  seconds,
  stamp,
  strict,
  text,
  trimmed,
} from '../fields.ts';
import { allOurs } from '../source/ours.ts';
import { chatSession, executionOverride } from '../v1/prompt-options.ts';
import { detail, success } from './managed-agent-identity.ts';

const words = names('argument', 'launcher', z.array(text.max(131_072)).max(1000));

const environmentFile = names(
  'file',
  'launcher',
  about(
    'A file in the runtime directory that only the owner of the server can read, with the environment for the tool. ' +
      'It is used once. Without it a token is required, and the tool gets the environment of the server.',
    absolutePath.nullish(),
  ),
);

const directory = names('directory', 'launcher', absolutePath);

/** A known tool, or the path of a program. */
const tool = names('command', 'launcher', trimmed.max(4096));

const launchFields = {
  schema_version: schemaVersion(1),
  tool,
  working_directory: directory,
  agent_name: bounded('nameLength', trimmed),
  agent_id: trimmed.nullish(),
  session_name: trimmed.nullish(),
  args: words.default([]),
  role_prompt: notBlank.nullish(),
  role_name: trimmed.nullish(),
  home: directory.nullish(),
  mcp: about(
    'none: without our tools. ask: the tool asks before it uses them. Left out: our tools are available, each allowed by name.',
    z.enum(['none', 'ask']).nullish(),
  ),
  install_skills: about('False: the mail skills are not installed for the tool.', z.boolean().nullish()),
  take_over: about(
    'True: replace a session of the agent that still runs elsewhere in the fleet.',
    z.boolean().nullish(),
  ),
  mailbox: about(
    'False: none. Otherwise one with this root and address, or with the defaults.',
    z.union([z.literal(false), strict({ root: directory.nullish(), address: trimmed.nullish() })]).nullish(),
  ),
  environment_file: environmentFile,
};

/** Body of `POST /houmao/launches`: a tool in a terminal that the server owns. */
export const managedLaunchBody = name('ManagedLaunchBody', strict(launchFields));

/** Body of `POST /houmao/agents/headless/launches`. */
export const headlessLaunchBody = name(
  'HeadlessLaunchBody',
  strict({ ...launchFields, resume_args: words.nullish(), continue_args: words.nullish() }),
);

/** Optional body of `POST /houmao/agents/{agent_ref}/stop`. */
export const managedStopBody = name(
  'ManagedStopBody',
  strict({
    schema_version: schemaVersion(1),
    kill_session: about(
      'Also end a session that was joined; otherwise a joined session continues without us.',
      z.boolean().default(false),
    ),
  }),
);

/** Body of `POST /houmao/agents/{agent_ref}/relaunch`. */
export const managedRelaunchBody = name(
  'ManagedRelaunchBody',
  strict({ schema_version: schemaVersion(1), environment_file: environmentFile }),
);

/** Body of `POST /houmao/launches/register`: a launched terminal whose manifest names this server. */
export const registerLaunchBody = name(
  'RegisterLaunchBody',
  strict({
    schema_version: schemaVersion(1),
    session_name: trimmed,
    tool: names('command', 'stored_only', trimmed.nullish()),
    terminal_id: trimmed.nullish(),
    observed_tool_version: trimmed.nullish(),
    manifest_path: names('file', 'registrar', absolutePath.nullish()),
    session_root: names('directory', 'registrar', absolutePath.nullish()),
    agent_name: trimmed.nullish(),
    agent_id: trimmed.nullish(),
    tmux_session_name: trimmed.nullish(),
    tmux_window_name: trimmed.nullish(),
  }),
);

const timing = about('Null is the same as absent.', seconds.nullish());
const timings = Object.fromEntries(TUI_TIMING_FIELDS.map((field) => [field, timing])) as Record<
  TuiTimingField,
  typeof timing
>;

/** Optional body of `POST …/gateway/attach`. */
export const managedAttachBody = name(
  'ManagedAttachBody',
  strict({
    schema_version: schemaVersion(1),
    execution_mode: oneOf(EXECUTION_MODES).nullish(),
    tui_tracking_timings: strict(timings).nullish(),
  }),
);

/** Body of `POST …/requests`. */
export const agentRequestBody = name(
  'AgentRequestBody',
  z.discriminatedUnion('request_kind', [
    strict({
      schema_version: schemaVersion(1),
      request_kind: z.literal('submit_prompt'),
      prompt: notBlank,
      execution: executionOverride.nullish(),
    }),
    strict({ schema_version: schemaVersion(1), request_kind: z.literal('interrupt') }),
  ]),
);

const TURN_ID = /^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$/;

export const turnId = z
  .string()
  .max(100)
  .refine((value) => TURN_ID.test(value), 'must be letters, digits, "_" and "-", at most 100');

const turnInput = {
  schema_version: schemaVersion(1),
  prompt: notBlank,
  turn_id: about(
    'The same id with the same prompt is the same turn, which never runs twice.',
    turnId.nullish(),
  ),
  chat_session: chatSession.nullish(),
  execution: executionOverride.nullish(),
};

/** Body of `POST …/turns`. */
export const turnBody = name('TurnBody', strict(turnInput));

/** Body of `POST …/gateway/internal/headless-prompt`, with which a gateway asks the server to run a turn. */
export const internalPromptBody = name(
  'InternalHeadlessPromptBody',
  strict({ ...turnInput, request_id: trimmed.nullish(), direct: z.boolean().default(false) }),
);

export const TURN_STATUSES = ['active', 'completed', 'failed', 'interrupted', 'unknown'] as const;

const turn = {
  tracked_agent_id: z.string(),
  turn_id: z.string(),
  turn_index: integer.positive(),
  status: z.enum(TURN_STATUSES),
};

const turnEnd = {
  started_at_utc: stamp,
  completed_at_utc: stamp.nullable(),
  returncode: about("The tool's exit code, once it is known.", integer.nullable()),
  completion_source: about('What observed its end.', z.string().nullable()),
  stdout_path: z.string().nullable(),
  stderr_path: z.string().nullable(),
  status_path: about('The file with the exit code.', z.string().nullable()),
  history_summary: z.string().nullable(),
  error: z.string().nullable(),
};

const turnRecord = {
  schema_version: z.literal(1),
  request_id: z.string(),
  accepted_at_utc: stamp,
  finished_at_utc: stamp.nullable(),
  reasons: z.array(z.string()),
  untouched: about('It is proven that no part of it ran.', z.boolean()),
  stages: z.array(
    strict({
      stage: z.enum(SURFACE_STAGES),
      source: z.string(),
      at_utc: stamp,
      facts: z.record(z.string(), z.unknown()),
    }),
  ),
  revision: about('Grows with every change.', count),
  duplicate: z.boolean().optional(),
};

/** A turn that a server runs, or has run. */
export const turnView = name('TurnView', strict({ ...turn, ...turnEnd, ...allOurs(turnRecord) }));

/** The response when a turn is accepted. */
export const turnAccepted = name(
  'TurnAccepted',
  strict({ ...success, ...turn, ...detail, ...allOurs({ ...turnEnd, ...turnRecord }) }),
);

/** The same response for a gateway. */
export const turnHandedOver = name(
  'TurnHandedOver',
  strict({ ...success, ...allOurs({ ...turn, ...detail, ...turnEnd, ...turnRecord }) }),
);

export type ManagedLaunchBody = z.infer<typeof managedLaunchBody>;
export type HeadlessLaunchBody = z.infer<typeof headlessLaunchBody>;
export type RegisterLaunchBody = z.infer<typeof registerLaunchBody>;
export type ManagedAttachBody = z.infer<typeof managedAttachBody>;
export type AgentRequestBody = z.infer<typeof agentRequestBody>;
export type TurnBody = z.infer<typeof turnBody>;
export type InternalPromptBody = z.infer<typeof internalPromptBody>;
export type TurnStatus = (typeof TURN_STATUSES)[number];
export type TurnView = z.infer<typeof turnView>;
export type TurnEnd = Pick<TurnView, keyof typeof turnEnd>;
export type TurnAccepted = z.infer<typeof turnAccepted>;
