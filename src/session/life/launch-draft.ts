import { conflict, newUuid, proxyExceptions } from '../../base/index.ts';
import {
  type BackendKind,
  defaultAgentId,
  parseAgentId,
  parseAgentName,
  runtimeSessionId,
  tmuxSessionName,
} from '../../domain/index.ts';
import { requireSessionName } from '../../tmux/index.ts';
import { type HeadlessHabits, headlessRole, roleWords, type Tool } from '../../tools/index.ts';
import type { MailboxBinding, SessionManifestInput } from '../../wire/index.ts';
import type { WantedMailbox } from '../bind-mailbox.ts';
import { handedEnvironment } from '../equip/handed-environment.ts';
import { sessionMcp } from '../equip/session-mcp.ts';
import type { AttachOptions } from '../gateway/attach-plan.ts';
import { chooseGatewayPort } from '../gateway/choose-port.ts';
import { newSessionRoot, type SessionPaths, sessionPaths } from '../records/session-paths.ts';
import { recordedSocket, socketOf } from '../records/tmux-socket.ts';
import type { SessionContext } from '../session-context.ts';
import { SessionTmux } from '../session-tmux.ts';
import { type Ownership, ownershipOf, type ServerOwner, servedBackend } from './fleet-ownership.ts';
import {
  additionsFor,
  argsInSession,
  type PlannedAdditions,
  placeOf,
  planTool,
  requireWorkdir,
  type ToolPlan,
} from './launch-plan.ts';
import { newManifest } from './new-manifest.ts';
import { refuseTakenName } from './refuse-taken-name.ts';

/** `none`: none of our tools. `ask`: the tool asks before they are used, as it would by itself. */
export type McpWish = 'none' | 'ask';

export interface LaunchOptions {
  tool: string;
  agentName: string;
  agentId?: string | undefined;
  sessionName?: string | undefined;
  workdir?: string | undefined;
  cwd: string;
  headless: boolean;
  args: string[];
  rolePrompt?: string | undefined;
  roleName?: string | undefined;
  home?: string | undefined;
  resumeArgs?: string[] | undefined;
  continueArgs?: string[] | undefined;
  /** Undefined: a filesystem mailbox under the default root. A root ending in .md is a flat file. */
  mailbox?: WantedMailbox | false | undefined;
  /** False: leave the tool's skills alone. Only a session with a mailbox gets any. */
  skills?: boolean | undefined;
  /** Variables for the tool beside the caller's own; no secrets, since they are kept in the manifest. */
  env?: Record<string, string> | undefined;
  /** Our tools; by default all that the agent has a use for, allowed without a question. */
  mcp?: McpWish | undefined;
  /** Attach a gateway once the session runs. */
  autoAttach?: AttachOptions | undefined;
  /** Take the agent's place in the fleet from a session that still runs elsewhere. */
  takeOver?: boolean | undefined;
  /** The fleet server that launches it and will own it. */
  owner?: ServerOwner | undefined;
}

/** A launch that has been checked and has not begun. */
export interface Draft {
  agentName: string;
  agentId: string;
  sessionId: string;
  generationId: string;
  tmuxSessionName: string;
  tmux: SessionTmux;
  workdir: string;
  paths: SessionPaths;
  plan: ToolPlan;
  backend: BackendKind;
  owner: Ownership | undefined;
  additions: PlannedAdditions;
  /** What is added when the gateway listens there, or when none does. */
  equip: (gatewayPort: number | undefined) => Promise<PlannedAdditions>;
  /** Where the gateway is to listen before the tool starts; undefined: none is attached before. */
  gatewayPort: number | undefined;
  createdAt: Date;
}

export interface AgentIdentity {
  agentName: string;
  agentId: string;
}

export function identityOf(options: { agentName: string; agentId?: string | undefined }): AgentIdentity {
  const agentName = parseAgentName(options.agentName, '--agent-name');
  const agentId =
    options.agentId === undefined ? defaultAgentId(agentName) : parseAgentId(options.agentId, '--agent-id');
  return { agentName, agentId };
}

/** Everything that can be refused is refused here, before anything is made. */
export async function prepareLaunch(
  context: SessionContext,
  options: LaunchOptions,
  { agentName, agentId }: AgentIdentity,
): Promise<Draft> {
  const { settings, env, clock } = context;
  const createdAt = clock.now();
  const workdir = requireWorkdir(options.workdir, options.cwd);
  const session = requireSessionName(options.sessionName ?? tmuxSessionName(agentName, createdAt));
  const tmux = new SessionTmux(socketOf(settings.tmuxSocket, env), env);
  const plan = planTool({ ...options, workdir }, env);
  const backend = options.owner ? servedBackend(plan.backend) : plan.backend;
  const sessionId = runtimeSessionId(backend, createdAt);
  const paths = sessionPaths(newSessionRoot(settings.runtimeDir, backend, sessionId));
  await refuseTakenName(context, { agentName, agentId });
  if (await tmux.hasSession(session)) {
    throw conflict(`tmux session "${session}" already exists`, {
      hint: 'choose another --session-name',
      facts: { cause: 'tmux_session_exists' },
    });
  }
  const isMember = settings.fleet !== undefined;
  const hasMailbox = options.mailbox !== false;
  const equip = async (gatewayPort: number | undefined): Promise<PlannedAdditions> => {
    const agent = { ...paths, agentId, hasMailbox, isMember, gatewayPort, allowed: options.mcp !== 'ask' };
    const mcp = options.mcp === 'none' ? undefined : await sessionMcp(agent, env);
    const place = { agentName, headless: options.headless, args: plan.args, env, workdir, mcp };
    return withVariables(
      plan,
      options.env,
      additionsFor(plan.tool, placeOf(paths, plan.home?.home_path, place)),
    );
  };
  const gatewayPort = await portAtLaunch(options, plan, { env, statePath: paths.state });
  return {
    ...{ agentName, agentId, sessionId, generationId: newUuid(), tmuxSessionName: session, tmux, workdir },
    ...{ paths, plan, backend, createdAt, equip, gatewayPort },
    owner: options.owner && ownershipOf(options.owner, session),
    additions: { args: [], files: [] },
  };
}

/** A tool that takes our tools from its gateway finds it there when it starts: nobody tries a second time. */
async function portAtLaunch(
  { autoAttach, mcp, owner }: LaunchOptions,
  { tool }: ToolPlan,
  at: { env: NodeJS.ProcessEnv; statePath: string },
): Promise<number | undefined> {
  if (!autoAttach || mcp === 'none' || owner || !tool.mcp?.forSession) return undefined;
  return chooseGatewayPort(autoAttach, at);
}

/** The tool's home is what the launch says it is. */
function withVariables(
  { home }: ToolPlan,
  { ...env }: LaunchOptions['env'] = {},
  additions: PlannedAdditions,
): PlannedAdditions {
  if (home) delete env[home.env_var];
  return { ...additions, env: { ...env, ...additions.env } };
}

/** What the tool gets: the caller's environment, its own home, and where it belongs. */
export function toolEnvironment(
  { plan, paths, agentId, additions }: Draft,
  env: NodeJS.ProcessEnv,
): Record<string, string> {
  return {
    ...handedEnvironment(env, plan.tool.process.nestedMarks),
    ...(plan.home && { [plan.home.env_var]: plan.home.home_path }),
    ...additions.env,
    ...additions.passingEnv,
    ...proxyExceptions(env),
    HOUMAO_MANIFEST_PATH: paths.manifest,
    HOUMAO_AGENT_ID: agentId,
  };
}

const CREDENTIAL = /(KEY|TOKEN|SECRET|PASSWORD|AUTH|CREDENTIALS?)$/;

/** The manifest of what is about to begin; credentials are named in it, never held. */
export function manifestOf(
  draft: Draft,
  options: LaunchOptions,
  env: NodeJS.ProcessEnv,
  mailbox: MailboxBinding | null,
): SessionManifestInput {
  const { plan } = draft;
  return newManifest({
    ...draft,
    tool: plan.tool.name,
    tmuxSocket: recordedSocket(draft.tmux.socket),
    joined: false,
    mailbox,
    plan: {
      executable: plan.words[0]!,
      args: argsInSession(plan, draft.additions),
      home: plan.home,
      envVarNames: Object.keys(env)
        .filter((name) => CREDENTIAL.test(name))
        .sort(),
      role: plan.role,
      roleName: options.roleName ?? null,
      posture: 'runtime_launch_plan',
      launchEnv: Object.entries(draft.additions.env ?? {}).map(([name, value]) => ({
        mode: 'literal' as const,
        name,
        value,
      })),
      metadata: {
        process_names: plan.tool.process.names,
        ...draft.additions.metadata,
        ...(plan.headless && { headless: headlessMetadata(plan.tool, plan.headless, options.rolePrompt) }),
      },
    },
  });
}

/** Everything a turn's command line is made of; turns are run as it says. */
export function headlessMetadata(
  tool: Tool,
  { backend, shape }: HeadlessHabits,
  rolePrompt: string | undefined,
): Record<string, unknown> {
  const role = rolePrompt === undefined ? [] : roleWords(headlessRole(tool), rolePrompt);
  return { backend, ...shape, role_prompt: rolePrompt ?? null, role_args: role };
}
