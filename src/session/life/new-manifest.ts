import { randomHex, utcStamp } from '../../base/index.ts';
import { type BackendKind, isHeadless, type Project } from '../../domain/index.ts';
import type { OwnedTerminal } from '../../terminal/owners.ts';
import { BACKEND } from '../../wire/houmao/index.ts';
import type { MailboxBinding, SessionManifestInput } from '../../wire/index.ts';
import type { BeforeJoin } from './joined-session.ts';

interface NewSessionFacts {
  backend: BackendKind;
  tool: string;
  agentName: string;
  agentId: string;
  shortName: string;
  project: Project;
  sessionId: string;
  generationId: string;
  tmuxSessionName: string;
  tmuxSocket: string | null;
  workdir: string;
  createdAt: Date;
  joined: boolean;
  beforeJoin?: BeforeJoin | undefined;
  /** Its pane, if that is not the first one of window 0. */
  agentPane?: string | undefined;
  /** The session has the variables of another agent. */
  sharesSession?: boolean | undefined;
  mailbox: MailboxBinding | null;
  owner?: Ownership | undefined;
  /** The terminal, if another server owns it. */
  owned?: OwnedTerminal | undefined;
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

/** The manifest of a session that is about to be made. */
export function newManifest(facts: NewSessionFacts): SessionManifestInput {
  const { plan, backend, tool, workdir, owner } = facts;
  const authority = facts.owned ? ownedAuthority(facts.owned) : authorityOf(owner);
  const window = facts.owned?.windowName ?? 'agent';
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
    project: facts.project,
    short_name: facts.shortName,
    ...registry,
    runtime: { session_id: facts.sessionId, ...registry },
    tmux: {
      session_name: facts.tmuxSessionName,
      primary_window_index: '0',
      primary_window_role: 'managed_agent_surface',
      primary_window_name: window,
      socket: facts.tmuxSocket,
      ...(facts.agentPane !== undefined && { agent_pane: facts.agentPane }),
      ...(facts.sharesSession && { variables_of: 'pane' as const }),
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
  { backend, owner, owned, resume, tmuxSessionName }: NewSessionFacts,
  turns: NonNullable<SessionManifestInput['local_interactive']>,
): Pick<SessionManifestInput, 'cao' | 'headless' | 'houmao_server' | 'local_interactive'> {
  if (owned) return { cao: ownedSection(owned) };
  if (isHeadless(backend)) {
    const { kind = 'none', value = null } = resume ?? {};
    return {
      headless: { ...turns, session_id: null, resume_selection_kind: kind, resume_selection_value: value },
    };
  }
  return owner ? { houmao_server: serverSection(owner, tmuxSessionName) } : { local_interactive: turns };
}

/** Our own observation decides, not the owner's status. The owner's term for that is `shadow_only`. */
function ownedTerminal({ apiBaseUrl, terminalId, windowName, profileName }: OwnedTerminal) {
  return {
    api_base_url: apiBaseUrl,
    terminal_id: terminalId,
    profile_name: profileName,
    profile_path: null,
    parsing_mode: 'shadow_only' as const,
    tmux_window_name: windowName,
  };
}

function ownedAuthority(owned: OwnedTerminal): ReturnType<typeof authorityOf> {
  return { ...ownedTerminal(owned), managed_agent_ref: null };
}

function ownedSection(owned: OwnedTerminal): NonNullable<SessionManifestInput['cao']> {
  return { ...ownedTerminal(owned), session_name: owned.session, turn_index: 0 };
}

/** The server that will own a session. */
export interface ServerOwner {
  /** `http://127.0.0.1:9889`: where callers on this host reach it from now on. */
  apiBaseUrl: string;
}

/** The same as stored in the manifest. */
export interface Ownership extends ServerOwner {
  /** The name of the tmux session: the only reference that never leads to another agent when it is stale. */
  agentRef: string;
  terminalId: string;
}

export function ownershipOf({ apiBaseUrl }: ServerOwner, tmuxSessionName: string): Ownership {
  return { apiBaseUrl, agentRef: tmuxSessionName, terminalId: randomHex(4) };
}

/** A terminal that a server owns has a backend of its own. A headless agent keeps that of its tool. */
export function servedBackend(own: BackendKind): BackendKind {
  return isHeadless(own) ? own : BACKEND.server;
}

type Authority = NonNullable<SessionManifestInput['gateway_authority']>['attach'];

/** The server to ask, for gateways and the command line. Without an owner: this host. */
function authorityOf(owner: Ownership | undefined): Required<Authority> {
  return {
    api_base_url: owner?.apiBaseUrl ?? null,
    managed_agent_ref: owner?.agentRef ?? null,
    terminal_id: owner?.terminalId ?? null,
    profile_name: null,
    profile_path: null,
    parsing_mode: owner ? 'shadow_only' : null,
    tmux_window_name: owner ? 'agent' : null,
  };
}

/** The backend section of a terminal that a server owns. */
function serverSection(
  owner: Ownership,
  tmuxSessionName: string,
): NonNullable<SessionManifestInput['houmao_server']> {
  return {
    api_base_url: owner.apiBaseUrl,
    session_name: tmuxSessionName,
    terminal_id: owner.terminalId,
    parsing_mode: 'shadow_only',
    tmux_window_name: 'agent',
    turn_index: 0,
  };
}
