import { utcStamp } from '../../base/index.ts';
import { type BackendKind, isHeadless } from '../../domain/index.ts';
import type { MailboxBinding, SessionManifestInput } from '../../wire/index.ts';
import type { BeforeJoin } from '../target/joined-session.ts';
import type { CaoOwnership } from './cao-place.ts';
import { authorityOf, type Ownership, serverSection } from './fleet-ownership.ts';

export interface NewSessionFacts {
  backend: BackendKind;
  tool: string;
  agentName: string;
  agentId: string;
  sessionId: string;
  generationId: string;
  tmuxSessionName: string;
  tmuxSocket: string | null;
  workdir: string;
  createdAt: Date;
  joined: boolean;
  beforeJoin?: BeforeJoin | undefined;
  /** Where it is not the first pane of window 0. */
  agentPane?: string | undefined;
  mailbox: MailboxBinding | null;
  owner?: Ownership | undefined;
  /** The CAO server that owns the terminal. */
  cao?: CaoOwnership | undefined;
  plan: PlanFacts;
  resume?: { kind: 'none' | 'last' | 'exact'; value: string | null };
}

export interface PlanFacts {
  executable: string | null;
  args: string[];
  home: { env_var: string; home_path: string } | null;
  envVarNames: string[];
  role: { method: string; applied: boolean };
  roleName: string | null;
  metadata: Record<string, unknown>;
  posture: 'runtime_launch_plan' | 'tui_launch_options' | 'headless_launch_options' | 'unavailable';
  launchEnv: ({ mode: 'literal'; name: string; value: string } | { mode: 'inherit'; name: string })[];
}

/** The manifest of a session that is about to begin. */
export function newManifest(facts: NewSessionFacts): SessionManifestInput {
  const { plan, backend, tool, workdir, owner } = facts;
  const authority = facts.cao ? caoAuthority(facts.cao) : authorityOf(owner);
  const window = facts.cao?.windowName ?? 'agent';
  const turns = { turn_index: 0, role_bootstrap_applied: plan.role.applied, working_directory: workdir };
  const registry = {
    registry_generation_id: facts.generationId,
    registry_launch_authority: 'runtime' as const,
  };
  return {
    schema_version: 4,
    backend,
    tool,
    role_name: plan.roleName,
    created_at_utc: utcStamp(facts.createdAt),
    working_directory: workdir,
    agent_name: facts.agentName,
    agent_id: facts.agentId,
    tmux_session_name: facts.tmuxSessionName,
    ...registry,
    runtime: { session_id: facts.sessionId, ...registry },
    tmux: {
      session_name: facts.tmuxSessionName,
      primary_window_index: '0',
      primary_window_role: 'managed_agent_surface',
      primary_window_name: window,
      socket: facts.tmuxSocket,
      ...(facts.agentPane !== undefined && { agent_pane: facts.agentPane }),
      before_join: facts.beforeJoin ?? null,
    },
    interactive: {
      ...turns,
      terminal_id: authority.terminal_id,
      parsing_mode: authority.parsing_mode,
      tmux_window_name: window,
    },
    agent_launch_authority: {
      backend,
      tool,
      tmux_session_name: facts.tmuxSessionName,
      primary_window_index: '0',
      working_directory: workdir,
      session_id: facts.sessionId,
      session_origin: facts.joined ? 'joined_tmux' : null,
      posture_kind: plan.posture,
      launch_args: plan.args,
      launch_env: plan.launchEnv,
    },
    gateway_authority: { attach: authority, control: authority },
    launch_plan: launchPlan(facts),
    ...backendPart(facts, turns),
  };
}

function launchPlan({ backend, tool, workdir, plan, mailbox }: NewSessionFacts) {
  return {
    backend,
    tool,
    executable: plan.executable,
    args: plan.args,
    working_directory: workdir,
    home_selector: plan.home,
    env_var_names: plan.envVarNames,
    role_injection: { method: plan.role.method, role_name: plan.roleName },
    metadata: { rouse: plan.metadata },
    mailbox,
  };
}

function backendPart(
  { backend, owner, cao, resume, tmuxSessionName }: NewSessionFacts,
  turns: NonNullable<SessionManifestInput['local_interactive']>,
): Pick<SessionManifestInput, 'cao' | 'headless' | 'houmao_server' | 'local_interactive'> {
  if (cao) return { cao: caoSection(cao, tmuxSessionName) };
  if (isHeadless(backend)) {
    const { kind = 'none', value = null } = resume ?? {};
    return {
      headless: { ...turns, session_id: null, resume_selection_kind: kind, resume_selection_value: value },
    };
  }
  return owner ? { houmao_server: serverSection(owner, tmuxSessionName) } : { local_interactive: turns };
}

/** Our own sight decides, whatever CAO's status says: that is what its words call `shadow_only`. */
function caoTerminal({ apiBaseUrl, terminalId, windowName, profileName }: CaoOwnership) {
  return {
    api_base_url: apiBaseUrl,
    terminal_id: terminalId,
    profile_name: profileName,
    profile_path: null,
    parsing_mode: 'shadow_only' as const,
    tmux_window_name: windowName,
  };
}

function caoAuthority(cao: CaoOwnership): ReturnType<typeof authorityOf> {
  return { ...caoTerminal(cao), managed_agent_ref: null };
}

function caoSection(cao: CaoOwnership, tmuxSessionName: string): NonNullable<SessionManifestInput['cao']> {
  return { ...caoTerminal(cao), session_name: tmuxSessionName, turn_index: 0 };
}
