import * as fs from 'node:fs';
import * as path from 'node:path';
import {
  conflict,
  crashPoint,
  invalid,
  namesOfProcess,
  newUuid,
  notFound,
  type RouseError,
  unsupported,
  withFileLock,
} from '../../base/index.ts';
import { type BackendKind, CAPABILITIES, runtimeSessionId } from '../../domain/index.ts';
import { type Bound, unbindMailbox } from '../../mail/index.ts';
import { TOOLS, type Tool, toolNames, toolOf } from '../../tools/index.ts';
import { BACKEND } from '../../wire/houmao/index.ts';
import { findTool, programWords } from '../equip/programs.ts';
import { type FleetReport, joinFleetAtStart, leaveFleet } from '../fleet.ts';
import { publishCapability } from '../gateway/publish.ts';
import {
  bindAgentMailbox,
  isRemoteMailbox,
  mailSurroundings,
  requireFleet,
  requireRegistered,
  type WantedMailbox,
} from '../mailbox.ts';
import { type ManifestFacts, tryManifestFacts } from '../records/manifest-facts.ts';
import { createManifest } from '../records/manifest-store.ts';
import { findProject } from '../records/project.ts';
import { removeRecord } from '../records/registry.ts';
import {
  makeSessionDirectories,
  newSessionRoot,
  recordedSocket,
  sessionPaths,
} from '../records/session-paths.ts';
import type { SessionContext } from '../session-context.ts';
import type { Pane, SessionTmux } from '../session-tmux.ts';
import { type ClaimedName, refuseTakenName, withClaimedName } from './claim-name.ts';
import { type OwnedJoin, type OwnedPlace, ownedPlace, placeInWords, placeToJoin } from './join-place.ts';
import { type Equipment, equipJoined, lookBeforeJoin, putBack } from './joined-session.ts';
import { requireWorkdir } from './launch-plan.ts';
import { newManifest, type PlanFacts } from './new-manifest.ts';
import { headlessMetadata } from './prepare-launch.ts';

export interface JoinOptions {
  /** As for a launch. */
  agentName: string;
  agentId?: string | undefined;
  exactName?: boolean | undefined;
  headless: boolean;
  /** Required if headless. Otherwise found by what runs in the pane. */
  provider?: string | undefined;
  /** Makes the session relaunchable. */
  launchArgs?: string[] | undefined;
  /** `NAME=value`, or `NAME` to take it from the environment at relaunch. */
  launchEnv?: string[] | undefined;
  workdir?: string | undefined;
  cwd: string;
  /** `last`, or the id of the chat to continue. */
  resumeId?: string | undefined;
  /** A session of another tmux client than the one this runs in. */
  tmuxSession?: string | undefined;
  mailbox?: WantedMailbox | false | undefined;
  /** `%7`, `1` or `1.2`: the tool's pane; undefined: the first of window 0. */
  pane?: string | undefined;
  /** False: leave the tool's skills alone. Only a session with a mailbox gets any. */
  skills?: boolean | undefined;
  /** Add our MCP server to the tool's own configuration; leave removes it again. */
  installMcp?: boolean | undefined;
  /** Take over the agent's place in the fleet from a session that still runs elsewhere. */
  takeOver?: boolean | undefined;
  /** A terminal that a server owns. */
  owned?: OwnedJoin | undefined;
}

export interface JoinReport extends Equipment {
  facts: ManifestFacts;
  toolPid: number | null;
  relaunchable: boolean;
  /** The fleet server it was registered with. */
  fleet?: FleetReport | undefined;
  /** The session is joined, but the fleet server does not know it. */
  fleetError?: RouseError | undefined;
}

/**
 * Adopts a tmux session that a person started. The chosen pane, or the first of window 0, becomes the agent's surface.
 * Nothing in the session is restarted or renamed. Files, variables and record are the same as after a launch.
 */
export function join(context: SessionContext, options: JoinOptions): Promise<JoinReport> {
  const project = findProject(requireWorkdir(options.workdir, options.cwd));
  return withClaimedName(context, project, options, (name) =>
    oneAtATime(context, () => adopt(context, options, name)),
  );
}

/** Two joins at once could both take themselves for the first of one session. */
function oneAtATime<T>({ settings, clock }: SessionContext, work: () => Promise<T>): Promise<T> {
  const file = path.join(settings.registryDir, 'claims', 'join.lock');
  return withFileLock(file, { timeoutMs: JOIN_TIMEOUT_MS, clock }, work);
}

const JOIN_TIMEOUT_MS = 30_000;

async function adopt(
  context: SessionContext,
  options: JoinOptions,
  { agentName, agentId, shortName, project }: ClaimedName,
): Promise<JoinReport> {
  const { tmux, session, pane, paneNamed, owned, first } = await placeOf(context, options);
  if (first && options.headless) throw headlessShares(session, first);
  const { tool, toolPid } = options.headless
    ? headlessTool(options, pane)
    : runningTool(options, pane, await tmux.panes(session));
  await refuseTakenName(context, { agentName, agentId });
  const backend = options.owned ? options.owned.backend : backendOf(tool, options.headless);
  const createdAt = context.clock.now();
  const sessionId = runtimeSessionId(backend, createdAt, true);
  const paths = sessionPaths(newSessionRoot(context.settings.runtimeDir, backend, sessionId));
  requireFleet(options.mailbox, context);
  const bind = () => mailboxFor(context, options, { agentName, manifestPath: paths.manifest });
  const isRemote = isRemoteMailbox(options.mailbox);
  let mailbox = isRemote ? undefined : await bind();
  const plan = planOf(tool, options, context.env);
  const holder = { session, window: owned?.windowName, pane: first && pane.paneId };
  try {
    makeSessionDirectories(paths);
    const membership = await joinFleetAtStart(
      context,
      { root: paths.root, tool: tool.name, agentName, agentId, sessionId },
      options,
    );
    requireRegistered(options.mailbox, membership.fleetError);
    if (isRemote) mailbox = await bind();
    createManifest(
      paths.root,
      newManifest({
        ...{ backend, tool: tool.name, agentName, agentId, shortName, project, sessionId, createdAt, plan },
        generationId: newUuid(),
        tmuxSessionName: session,
        tmuxSocket: recordedSocket(tmux.socket),
        workdir: requireWorkdir(options.workdir, options.cwd),
        joined: true,
        mailbox: mailbox?.binding ?? null,
        beforeJoin: await lookBeforeJoin(tmux, holder, pane),
        owned,
        agentPane: paneNamed ? pane.paneId : undefined,
        sharesSession: first !== undefined,
        ...(options.headless && { resume: resumeOf(options.resumeId) }),
      }),
    );
    if (first) await markFirst(tmux, first);
    else if (await hasAgentsInPanes(tmux, session)) await tmux.markPane(pane.paneId, paths.manifest);
    const facts = await publishCapability(context, paths.manifest);
    crashPoint('session.join.published');
    const skills = mailbox !== undefined && options.skills !== false;
    const mcp = options.installMcp === true;
    const equipment = await equipJoined(context, facts, { skills, mcp, toolPid });
    return { facts, toolPid, relaunchable: plan.posture !== 'unavailable', ...membership, ...equipment };
  } catch (error) {
    if (mailbox && !mailbox.reused)
      await unbindMailbox(mailbox.binding, 'purge', mailSurroundings(context.clock)).catch(() => {});
    await leaveFleet(paths.root);
    await undoJoin(context, tmux, paths.manifest);
    fs.rmSync(paths.root, { recursive: true, force: true });
    throw error;
  }
}

async function mailboxFor(
  { settings, clock }: SessionContext,
  { mailbox }: JoinOptions,
  agent: { agentName: string; manifestPath: string },
): Promise<Bound | undefined> {
  if (mailbox === false) return undefined;
  const { root = settings.mailboxDir, address, transport } = mailbox ?? {};
  const place = { root, address, transport };
  return bindAgentMailbox({ ...place, ...agent }, clock);
}

/** From now on its session has panes of other agents, so its own must be known wherever it is moved. */
async function markFirst(tmux: SessionTmux, first: ManifestFacts): Promise<void> {
  const pane = await tmux.paneOf(first);
  if (pane) await tmux.markPane(pane.paneId, first.path);
}

async function hasAgentsInPanes(tmux: SessionTmux, session: string): Promise<boolean> {
  const found = (await tmux.sessions()).find(({ name }) => name === session);
  return found !== undefined && found.places.length > 0;
}

function headlessShares(session: string, { agentName }: ManifestFacts): Error {
  return unsupported(
    `tmux session "${session}" is that of agent ${agentName}, and a headless agent needs its own`,
    {
      hint: 'join it in another session',
      facts: { cause: 'already_managed' },
    },
  );
}

/** Undoes a join that failed half-way: the session is as before, and nothing is published. */
async function undoJoin(context: SessionContext, tmux: SessionTmux, manifest: string): Promise<void> {
  const facts = tryManifestFacts(manifest);
  if (!facts) return;
  await putBack(tmux, facts).catch(() => {});
  await removeRecord(context.settings.registryDir, facts, context.clock).catch(() => {});
}

async function placeOf(context: SessionContext, options: JoinOptions): Promise<JoinedPlace> {
  if (!options.owned) return placeToJoin(context, options);
  refuseMixed({ ...options, owned: options.owned });
  return { ...(await ownedPlace(context, options.owned)), paneNamed: false, first: undefined };
}

type JoinedPlace = Awaited<ReturnType<typeof placeToJoin>> & Partial<Pick<OwnedPlace, 'owned'>>;

/** Only the owner of a terminal can restart what runs there, and only it knows where the terminal is. */
function refuseMixed(options: JoinOptions & { owned: OwnedJoin }): void {
  const { headless, tmuxSession, pane, launchArgs, launchEnv, resumeId, owned } = options;
  const mixed = [
    headless && '--headless',
    tmuxSession !== undefined && '--target-tmux-session',
    pane !== undefined && '--pane',
    launchArgs !== undefined && '--launch-args',
    (launchEnv?.length ?? 0) > 0 && '--launch-env',
    resumeId !== undefined && '--resume-id',
  ].filter((each) => typeof each === 'string');
  if (mixed.length > 0)
    throw invalid(`--${ownerName(owned).toLowerCase()} and ${mixed.join(', ')} exclude each other`);
}

const ownerName = ({ backend }: OwnedJoin): string => CAPABILITIES[backend].owner!;

function runningTool(
  options: JoinOptions,
  pane: Pane,
  panes: readonly Pane[],
): { tool: Tool; toolPid: number } {
  const wanted = options.provider === undefined ? TOOLS : [requireTool(options.provider)];
  const toolIn = ({ pid }: Pane) =>
    wanted.flatMap((tool) => {
      const found = findTool(pid, tool.process.names);
      return found ? [{ tool, toolPid: found.identity.pid }] : [];
    })[0];
  const here = toolIn(pane);
  if (here) return here;
  const { owned } = options;
  const elsewhere = panes.flatMap((each) => {
    const found = toolIn(each);
    return found ? [`${found.tool.name} in ${placeInWords(each)}`] : [];
  });
  const [there] = elsewhere;
  throw notFound(
    `no tool that Rouse knows runs in ${owned ? `the window of ${ownerName(owned)} terminal ${owned.terminalId}` : `window ${pane.windowIndex}, pane ${pane.paneIndex}`} (there is ${namesOfProcess(pane.pid)[0] ?? 'nothing'})`,
    {
      hint: owned
        ? `its agent has ended, or is none of ${toolNames().join(', ')}`
        : there
          ? `there is ${elsewhere.join(', ')}; choose one with --pane`
          : `start one of ${toolNames().join(', ')} there, or join with --headless`,
      facts: { cause: 'no_tool' },
    },
  );
}

function headlessTool(options: JoinOptions, pane: Pane): { tool: Tool; toolPid: null } {
  if (options.provider === undefined) throw invalid('--headless needs --provider');
  if (options.launchArgs === undefined)
    throw invalid('--headless needs --launch-args, from which turns are run');
  const tool = requireTool(options.provider);
  if (!tool.headless) throw unsupported(`${tool.name} cannot run headless`);
  const live = findTool(pane.pid, tool.process.names);
  if (live) {
    throw conflict(`${tool.name} runs in window 0, pane 0 with a screen of its own`, {
      hint: 'end it, or join without --headless',
      facts: { cause: 'tool_running', pid: live.identity.pid },
    });
  }
  return { tool, toolPid: null };
}

function requireTool(provider: string): Tool {
  const tool = toolOf(provider);
  if (tool) return tool;
  throw invalid(`--provider "${provider}" is not known`, {
    hint: `allowed: ${[...TOOLS.flatMap(({ aliases = [] }) => aliases), ...toolNames()].join(', ')}`,
  });
}

function backendOf(tool: Tool, headless: boolean): BackendKind {
  return headless && tool.headless ? tool.headless.backend : BACKEND.terminal;
}

function resumeOf(id: string | undefined): { kind: 'none' | 'last' | 'exact'; value: string | null } {
  if (id === undefined) return { kind: 'none', value: null };
  return id === 'last' ? { kind: 'last', value: null } : { kind: 'exact', value: id };
}

/** Without launch options the agent can be controlled but not relaunched. */
function planOf(tool: Tool, options: JoinOptions, env: NodeJS.ProcessEnv): PlanFacts {
  const hasLaunchOptions = options.launchArgs !== undefined || (options.launchEnv?.length ?? 0) > 0;
  const home = tool.homeVariable && env[tool.homeVariable];
  const { executable, packaged } = tool.process;
  const [program = '', ...words] = packaged ? programWords(executable) : [executable];
  return {
    executable: program,
    args: [...words, ...(options.launchArgs ?? [])],
    home: home ? { env_var: tool.homeVariable!, home_path: home } : null,
    envVarNames: [],
    role: { method: tool.role.method, applied: true },
    roleName: null,
    posture: !hasLaunchOptions
      ? 'unavailable'
      : options.headless
        ? 'headless_launch_options'
        : 'tui_launch_options',
    launchEnv: (options.launchEnv ?? []).map(parseLaunchEnv),
    metadata: {
      process_names: tool.process.names,
      ...(options.headless &&
        tool.headless && { headless: headlessMetadata(tool, tool.headless, undefined) }),
    },
  };
}

function parseLaunchEnv(text: string): PlanFacts['launchEnv'][number] {
  const [, name, value] = /^([A-Za-z_][A-Za-z0-9_]*)(?:=([\s\S]*))?$/.exec(text) ?? [];
  if (name === undefined) throw invalid(`--launch-env ${JSON.stringify(text)} must be NAME or NAME=value`);
  return value === undefined ? { mode: 'inherit', name } : { mode: 'literal', name, value };
}
