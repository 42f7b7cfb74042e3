import * as z from 'zod';
import { BACKEND_KINDS } from '../../domain/index.ts';
import { count, integer, rules, stamp, strict } from '../fields.ts';
import { ours } from '../source/ours.ts';
import { launchPlan } from './launch-plan.ts';
import { manifestProblems } from './manifest-rules.ts';

const optional = z.string().nullish();
const authority = z.enum(['runtime', 'external']);
const parsingMode = z.enum(['cao_only', 'shadow_only']);

const runtime = strict({
  session_id: optional,
  memory_root: optional,
  memo_file: optional,
  pages_dir: optional,
  agent_def_dir: optional,
  agent_pid: integer.positive().nullish(),
  registry_generation_id: optional,
  registry_launch_authority: authority.nullish(),
});

const variableState = z.discriminatedUnion('state', [
  strict({ name: z.string(), state: z.literal('set'), value: z.string() }),
  strict({ name: z.string(), state: z.literal('removed') }),
  strict({ name: z.string(), state: z.literal('absent') }),
]);

const beforeJoin = strict({
  window_id: z.string(),
  window_name: z.string(),
  /** The window's own option; null when it uses the global one. */
  automatic_rename: z.enum(['on', 'off']).nullable(),
  /** Whether join renamed the window; absent: it did. */
  renamed: z.boolean().optional(),
  variables: z.array(variableState),
});

const tmux = strict({
  session_name: z.string(),
  primary_window_index: z.literal('0'),
  primary_window_role: z.literal('managed_agent_surface'),
  primary_window_name: optional,
  /** The tmux socket of this session: a path or a name; absent means tmux's default. */
  socket: ours(optional),
  /** The pane that the agent was joined in, when it is not the first of window 0. */
  agent_pane: ours(optional),
  /** The variables of an agent that shares its session are options of its pane: the session's are the first agent's. */
  variables_of: ours(z.enum(['session', 'pane']).nullish()),
  /** For a joined session: the state before the join, restored when the session is left. */
  before_join: ours(beforeJoin.nullish()),
});

const interactive = strict({
  turn_index: count.nullish(),
  working_directory: optional,
  role_bootstrap_applied: z.boolean().nullish(),
  terminal_id: optional,
  parsing_mode: parsingMode.nullish(),
  tmux_window_name: optional,
});

const launchEnv = z.discriminatedUnion('mode', [
  strict({ mode: z.literal('literal'), name: z.string(), value: z.string() }),
  strict({ mode: z.literal('inherit'), name: z.string() }),
]);

const agentLaunchAuthority = strict({
  backend: z.enum(BACKEND_KINDS),
  tool: z.string(),
  tmux_session_name: optional,
  primary_window_index: z.literal('0').nullish(),
  working_directory: optional,
  session_id: optional,
  profile_name: optional,
  profile_path: optional,
  session_origin: z.literal('joined_tmux').nullish(),
  posture_kind: z.enum([
    'runtime_launch_plan',
    'tui_launch_options',
    'headless_launch_options',
    'unavailable',
  ]),
  launch_args: z.array(z.string()).default([]),
  launch_env: z.array(launchEnv).default([]),
});

const gatewayAuthority = strict({
  api_base_url: optional,
  managed_agent_ref: optional,
  terminal_id: optional,
  profile_name: optional,
  profile_path: optional,
  parsing_mode: parsingMode.nullish(),
  tmux_window_name: optional,
});

const turns = { turn_index: count, role_bootstrap_applied: z.boolean(), working_directory: z.string() };

const headless = rules(
  strict({
    ...turns,
    session_id: optional,
    resume_selection_kind: z.enum(['none', 'last', 'exact']).default('none'),
    resume_selection_value: optional,
  }),
  ({ resume_selection_kind: kind, resume_selection_value: value }) =>
    (kind === 'exact') === (value != null)
      ? []
      : [
          {
            path: ['resume_selection_value'],
            message: 'must be set exactly when resume_selection_kind is "exact"',
          },
        ],
);

const restTerminal = {
  api_base_url: z.string(),
  session_name: z.string(),
  terminal_id: z.string(),
  parsing_mode: parsingMode,
  tmux_window_name: optional,
  turn_index: count,
};

const shape = strict({
  schema_version: z.literal(4),
  backend: z.enum(BACKEND_KINDS),
  tool: z.string(),
  role_name: optional,
  created_at_utc: stamp,
  working_directory: z.string(),
  brain_manifest_path: optional,
  agent_name: optional,
  agent_id: optional,
  tmux_session_name: optional,
  /** The agent's project, and its name there; agent_name is unique on the machine. */
  project: ours(strict({ name: z.string(), directory: z.string() }).nullish()),
  short_name: ours(optional),
  registry_generation_id: optional,
  registry_launch_authority: authority.nullish(),
  runtime: runtime.nullish(),
  tmux: tmux.nullish(),
  interactive: interactive.nullish(),
  agent_launch_authority: agentLaunchAuthority.nullish(),
  gateway_authority: strict({ attach: gatewayAuthority, control: gatewayAuthority }).nullish(),
  launch_plan: launchPlan,
  launch_policy_provenance: z.record(z.string(), z.unknown()).nullish(),
  backend_state: z.record(z.string(), z.unknown()).nullish(),
  headless: headless.nullish(),
  local_interactive: strict(turns).nullish(),
  cao: strict({ ...restTerminal, profile_name: optional, profile_path: optional }).nullish(),
  houmao_server: strict(restTerminal).nullish(),
  codex: strict({
    thread_id: optional,
    turn_index: count,
    pid: integer.positive().nullish(),
    process_started_at_utc: stamp.nullish(),
  }).nullish(),
});

/** manifest.json: the only authority for attach, resume and relaunch of a session. It never holds a live host or port. */
export const sessionManifest = rules(shape, manifestProblems);

export type SessionManifest = z.infer<typeof sessionManifest>;
export type SessionManifestInput = z.input<typeof sessionManifest>;
