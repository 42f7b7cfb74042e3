import { conflict, newUuid, proxyExceptions } from '../../base/index.ts';
import { type BackendKind, type Project, runtimeSessionId, tmuxSessionName } from '../../domain/index.ts';
import { requireSessionName } from '../../tmux/index.ts';
import { type HeadlessHabits, headlessRole, roleWords, type Tool } from '../../tools/index.ts';
import { VARIABLE } from '../../wire/houmao/index.ts';
import type { MailboxBinding, SessionManifestInput } from '../../wire/index.ts';
import { sessionMcp } from '../equip/mcp.ts';
import { handedEnvironment } from '../equip/programs.ts';
import { type AttachOptions, chooseGatewayPort } from '../gateway/attach-plan.ts';
import type { WantedMailbox } from '../mailbox.ts';
import {
  newSessionRoot,
  recordedSocket,
  type SessionPaths,
  sessionPaths,
  socketOf,
} from '../records/session-paths.ts';
import type { SessionContext } from '../session-context.ts';
import { SessionTmux } from '../session-tmux.ts';
import { askedDigest } from './asked-digest.ts';
import { type ClaimedName, refuseTakenName } from './claim-name.ts';
import {
  additionsFor,
  argsInSession,
  type PlannedAdditions,
  placeOf,
  planTool,
  requireWorkdir,
  type ToolPlan,
} from './launch-plan.ts';
import { newManifest, type Ownership, ownershipOf, type ServerOwner, servedBackend } from './new-manifest.ts';

/** `none`: none of our tools. `ask`: the tool asks a person before it uses them, as by default. */
type McpOption = 'none' | 'ask';

export interface LaunchOptions {
  tool: string;
  /** Its name in its project. On the machine it has this name or, if that is in use, one with the project in front. */
  agentName: string;
  agentId?: string | undefined;
  /** Undefined: the project of its working directory. */
  project?: Project | undefined;
  /** Refuse a name that is in use, as the caller names agents for the whole machine. */
  exactName?: boolean | undefined;
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
  /** Variables for the tool, added to the caller's. No secrets, because they are stored in the manifest. */
  env?: Record<string, string> | undefined;
  /** Our tools. Default: all that are useful to the agent, allowed without asking. */
  mcp?: McpOption | undefined;
  /** Attach a gateway once the session runs. */
  autoAttach?: AttachOptions | undefined;
  /** Take over the agent's place in the fleet from a session that still runs elsewhere. */
  takeOver?: boolean | undefined;
  /** The fleet server that launches it and will own it. */
  owner?: ServerOwner | undefined;
  /** A conversation that the tool continues in the new session. */
  conversation?: string | undefined;
}

/** A launch that was checked but has not begun. */
export interface Draft extends ClaimedName {
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
  /** What is added to this version of the tool if the gateway listens on this port, or if none does. */
  equip: (gatewayPort: number | undefined, version: string | null) => Promise<PlannedAdditions>;
  /** Where the gateway will listen before the tool starts; undefined: none is attached before. */
  gatewayPort: number | undefined;
  /** A conversation that the tool continues. */
  conversation: string | undefined;
  createdAt: Date;
}

/** Checks everything that can be refused, before anything is made. */
export async function prepareLaunch(
  context: SessionContext,
  options: LaunchOptions,
  { agentName, agentId, shortName, project }: ClaimedName,
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
  const equip: Draft['equip'] = async (gatewayPort, version) => {
    const agent = { ...paths, agentId, hasMailbox, isMember, gatewayPort, allowed: options.mcp !== 'ask' };
    const mcp = options.mcp === 'none' ? undefined : await sessionMcp(agent, env);
    const at = { headless: options.headless, args: plan.args, env, workdir };
    const place = { agentName, ...at, mcp, version: version ?? undefined };
    return withVariables(
      plan,
      options.env,
      additionsFor(plan.tool, placeOf(paths, plan.home?.home_path, place)),
    );
  };
  const gatewayPort = await portAtLaunch(options, plan, { env, statePath: paths.state });
  return {
    ...{
      agentName,
      agentId,
      shortName,
      project,
      sessionId,
      generationId: newUuid(),
      tmuxSessionName: session,
      tmux,
      workdir,
    },
    ...{ paths, plan, backend, createdAt, equip, gatewayPort, conversation: options.conversation },
    owner: options.owner && ownershipOf(options.owner, session),
    additions: { args: [], files: [] },
  };
}

/** A tool that gets our tools from its gateway must reach it at its start, because tools do not retry. */
async function portAtLaunch(
  { autoAttach, mcp, owner }: LaunchOptions,
  { tool }: ToolPlan,
  at: { env: NodeJS.ProcessEnv; statePath: string },
): Promise<number | undefined> {
  if (!autoAttach || mcp === 'none' || owner || !tool.mcp?.forSession) return undefined;
  return chooseGatewayPort(autoAttach, at);
}

/** The launch decides the tool's home, so an environment variable for it is dropped. */
function withVariables(
  { home }: ToolPlan,
  { ...env }: LaunchOptions['env'] = {},
  additions: PlannedAdditions,
): PlannedAdditions {
  if (home) delete env[home.env_var];
  return { ...additions, env: { ...env, ...additions.env } };
}

/** The tool's environment: the caller's, its own home, and its session. */
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
    [VARIABLE.manifestPath]: paths.manifest,
    [VARIABLE.agentId]: agentId,
  };
}

const CREDENTIAL = /(KEY|TOKEN|SECRET|PASSWORD|AUTH|CREDENTIALS?)$/;

/** The manifest of a launch. It contains the names of credentials, never their values. */
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
        asked: askedDigest(options, draft.workdir),
        ...draft.additions.metadata,
        ...(plan.headless && { headless: headlessMetadata(plan.tool, plan.headless, options.rolePrompt) }),
      },
    },
  });
}

/** Everything that the command line of a turn is made from. */
export function headlessMetadata(
  tool: Tool,
  { backend, shape }: HeadlessHabits,
  rolePrompt: string | undefined,
): Record<string, unknown> {
  const role = rolePrompt === undefined ? [] : roleWords(headlessRole(tool), rolePrompt);
  return { backend, ...shape, role_prompt: rolePrompt ?? null, role_args: role };
}
