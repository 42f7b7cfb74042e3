import * as fs from 'node:fs';
import { asRouseError, crashPoint, type ProcessIdentity, RouseError } from '../../base/index.ts';
import { type Bound, unbindMailbox } from '../../mail/index.ts';
import { keepConversation } from '../../terminal/index.ts';
import type { McpDoor } from '../../tools/index.ts';
import { VARIABLE } from '../../wire/houmao/index.ts';
import { servesTools } from '../equip/mcp.ts';
import { sweepEnvironmentFiles } from '../equip/programs.ts';
import { type SkillsAtLaunch, skillsForLaunch } from '../equip/skills.ts';
import { detectVersion, versionNotes } from '../examine.ts';
import { type FleetReport, joinFleetAtStart, leaveFleet } from '../fleet.ts';
import { type AttachReport, attachLocal } from '../gateway/attach.ts';
import type { AttachOptions } from '../gateway/attach-plan.ts';
import { detachLocal } from '../gateway/detach.ts';
import { localStatus } from '../gateway/gateway-status.ts';
import { publishCapability } from '../gateway/publish.ts';
import {
  bindAgentMailbox,
  isRemoteMailbox,
  mailSurroundings,
  requireFleet,
  requireRegistered,
} from '../mailbox.ts';
import type { ManifestFacts } from '../records/manifest-facts.ts';
import { createManifest, updateManifest } from '../records/manifest-store.ts';
import { findProject } from '../records/project.ts';
import { removeRecord } from '../records/registry.ts';
import { makeSessionDirectories } from '../records/session-paths.ts';
import type { SessionContext } from '../session-context.ts';
import type { Pane } from '../session-tmux.ts';
import { withClaimedName } from './claim-name.ts';
import { argsInSession, requireWorkdir } from './launch-plan.ts';
import {
  type Draft,
  type LaunchOptions,
  manifestOf,
  prepareLaunch,
  toolEnvironment,
} from './prepare-launch.ts';
import { resumeWords } from './resume-words.ts';
import {
  endSession,
  idleShell,
  type ToolTrace,
  waitForTool,
  writeAdditions,
  writePaneProgram,
} from './tool-pane.ts';

export type McpReport = { door: McpDoor; server: string } | { declined: string };

export interface LaunchReport {
  facts: ManifestFacts;
  paneId: string;
  toolPid: number | null;
  /** The mail skills of its tool; undefined if there was nothing to do. */
  skills?: SkillsAtLaunch | undefined;
  /** How it got our tools; undefined if it should have none, or its tool supports none. */
  mcp?: McpReport | undefined;
  /** What a person should know at once. */
  notes: string[];
  attached: AttachReport | undefined;
  /** The session runs, but its gateway does not. */
  attachError: RouseError | undefined;
  /** The fleet server it was registered with. */
  fleet?: FleetReport | undefined;
  /** The session runs, but the fleet server does not know it. */
  fleetError?: RouseError | undefined;
}

/**
 * Launches an agent: checks, mailbox, session root, tmux session, gateway if requested, the tool in window 0,
 * publication. If a step fails, the earlier ones are undone, so that nothing runs and nothing is left. A gateway that
 * cannot be attached leaves the session running and is reported.
 */
export async function launch(context: SessionContext, options: LaunchOptions): Promise<LaunchReport> {
  const project = options.project ?? findProject(requireWorkdir(options.workdir, options.cwd));
  const launched = await withClaimedName(context, project, options, async (name) =>
    start(context, options, await prepareLaunch(context, options, name)),
  );
  const { facts, gateway } = launched;
  const later = gateway ?? (await autoAttach(context, facts.path, options.autoAttach));
  return { ...launched, ...later };
}

type Gateway = Pick<LaunchReport, 'attached' | 'attachError'>;
type Launched = Omit<LaunchReport, keyof Gateway> & { gateway: Gateway | undefined };

async function start(context: SessionContext, options: LaunchOptions, checked: Draft): Promise<Launched> {
  const undo: (() => unknown)[] = [];
  let draft = checked;
  try {
    requireFleet(options.mailbox, context);
    const isRemote = isRemoteMailbox(options.mailbox);
    let bound = isRemote ? undefined : await openMailbox(context, options, draft, undo);
    makeSessionDirectories(draft.paths);
    undo.push(() => fs.rmSync(draft.paths.root, { recursive: true, force: true }));
    // Before the tool starts, because programs that it starts may act as the agent.
    const membership = await joinFleetAtStart(
      context,
      { ...draft, root: draft.paths.root, tool: draft.plan.tool.name },
      options,
    );
    undo.push(() => leaveFleet(draft.paths.root));
    requireRegistered(options.mailbox, membership.fleetError);
    if (isRemote) bound = await openMailbox(context, options, draft, undo);
    const skills = bound && options.skills !== false ? installSkills(draft, context) : undefined;
    const version = await toolVersion(draft, context.env);
    draft = { ...draft, additions: await draft.equip(draft.gatewayPort, version) };
    const session = await openSession(context, options, { draft, bound, version }, undo);
    draft = session.draft;
    const { pane, trace, gateway } = session;
    const tool = trace ? await waitForTool(context, trace) : undefined;
    const facts = await publish(context, draft, tool);
    const seen = gateway?.attached && (await agentSeen(context, facts, gateway.attached));
    return {
      ...{ facts, paneId: pane.paneId, toolPid: tool?.pid ?? null, ...membership, skills },
      mcp: mcpReport(draft.additions),
      notes: trace ? versionNotes(facts.tool, version) : [],
      gateway: gateway && { ...gateway, attached: seen },
    };
  } catch (error) {
    const explained = await explain(context, draft, error);
    for (const step of undo.reverse()) await (async () => step())().catch(() => {});
    throw explained;
  }
}

function installSkills({ plan }: Draft, { env }: SessionContext): SkillsAtLaunch | undefined {
  return skillsForLaunch({ tool: plan.tool.name, home: plan.home?.home_path, env });
}

async function openMailbox(
  context: SessionContext,
  options: LaunchOptions,
  draft: Draft,
  undo: (() => unknown)[],
): Promise<Bound | undefined> {
  if (options.mailbox === false) return undefined;
  const bound = await bindAgentMailbox(
    {
      root: options.mailbox?.root ?? context.settings.mailboxDir,
      transport: options.mailbox?.transport,
      address: options.mailbox?.address,
      agentName: draft.agentName,
      manifestPath: draft.paths.manifest,
    },
    context.clock,
  );
  if (!bound.reused) undo.push(() => unbindMailbox(bound.binding, 'purge', mailSurroundings(context.clock)));
  return bound;
}

interface Opened {
  draft: Draft;
  pane: Pane;
  trace: ToolTrace | undefined;
  /** A gateway that was attached before the tool started. */
  gateway: Gateway | undefined;
}

/** Makes the tmux session with the tool in it. If the tool needs a gateway at its start, that is attached first. */
async function openSession(
  context: SessionContext,
  options: LaunchOptions,
  { draft, bound, version }: { draft: Draft; bound: Bound | undefined; version: string | null },
  undo: (() => unknown)[],
): Promise<Opened> {
  const { paths, workdir, tmux } = draft;
  sweepEnvironmentFiles(context.settings.runtimeDir, context.clock);
  writeAdditions(draft.additions);
  if (draft.conversation !== undefined) keepConversation(paths.root, draft.conversation);
  createManifest(paths.root, {
    ...manifestOf(draft, options, context.env, bound?.binding ?? null),
    ...(version !== null && { launch_policy_provenance: { detected_tool_version: version } }),
  });
  const waits = draft.gatewayPort !== undefined && !draft.plan.headless;
  const program = waits ? { command: WAITING, trace: undefined } : toolProgram(context, draft);
  crashPoint('session.launch.before_tmux');
  undo.push(() => endSession(tmux, draft.tmuxSessionName, context.clock));
  const pane = await tmux.newSession({
    session: draft.tmuxSessionName,
    name: 'agent',
    directory: workdir,
    command: program.command,
    env: { [VARIABLE.manifestPath]: paths.manifest, [VARIABLE.agentId]: draft.agentId },
  });
  undo.push(() => removeRecord(context.settings.registryDir, draft, context.clock));
  if (draft.gatewayPort === undefined) return { draft, pane, trace: program.trace, gateway: undefined };
  undo.push(() => detachLocal(context, paths.manifest));
  const wanted = { ...options.autoAttach, preferredPort: draft.gatewayPort };
  const gateway = await autoAttach(context, paths.manifest, wanted);
  const settled = await settleTools(context, options, { draft, bound, version }, gateway);
  if (!waits) return { draft: settled, pane, trace: undefined, gateway };
  const { command, trace } = toolProgram(context, settled);
  await tmux.respawn(pane.paneId, workdir, command);
  return { draft: settled, pane, trace, gateway };
}

/** What the pane runs until the gateway listens. It ends by itself if the tool is never started. */
const WAITING = ['/bin/sh', '-c', "printf '[rouse] waiting for the gateway'; exec sleep 90"];

function toolProgram(
  { env }: SessionContext,
  draft: Draft,
): { command: string[]; trace: ToolTrace | undefined } {
  const { paths, plan, workdir } = draft;
  if (plan.headless) return { command: idleShell(env), trace: undefined };
  const args = argsInSession(plan, draft.additions);
  const again = draft.conversation && resumeWords(plan.tool, args, draft.conversation);
  return writePaneProgram({
    directory: paths.launch,
    title: draft.agentName,
    workdir,
    command: [plan.words[0]!, ...(again ?? args)],
    env: toolEnvironment(draft, env),
    without: plan.tool.process.nestedMarks,
  });
}

/** Corrects the tool's settings if the gateway failed or listens on another port. */
async function settleTools(
  context: SessionContext,
  options: LaunchOptions,
  { draft, bound, version }: { draft: Draft; bound: Bound | undefined; version: string | null },
  { attached }: Gateway,
): Promise<Draft> {
  const { gateway_port: listens } = attached?.status ?? {};
  const port = listens && (await servesTools(draft.paths.root, listens)) ? listens : undefined;
  if (port === draft.gatewayPort) return draft;
  const settled = { ...draft, additions: await draft.equip(port, version) };
  writeAdditions(settled.additions);
  const { launch_plan: plan, agent_launch_authority: authority } = manifestOf(
    settled,
    options,
    context.env,
    bound?.binding ?? null,
  );
  await updateManifest(draft.paths.root, context.clock, (before) => ({
    ...before,
    launch_plan: { ...before.launch_plan, args: plan.args ?? [], metadata: plan.metadata ?? {} },
    agent_launch_authority: before.agent_launch_authority && {
      ...before.agent_launch_authority,
      launch_args: authority?.launch_args ?? [],
      launch_env: authority?.launch_env ?? [],
    },
  }));
  return settled;
}

function toolVersion(draft: Draft, env: NodeJS.ProcessEnv): Promise<string | null> {
  const { tool, words } = draft.plan;
  return detectVersion(tool.process, words[0]!, { cwd: draft.workdir, env: toolEnvironment(draft, env) });
}

async function publish(
  context: SessionContext,
  draft: Draft,
  tool: ProcessIdentity | undefined,
): Promise<ManifestFacts> {
  await updateManifest(draft.paths.root, context.clock, (manifest) => ({
    ...manifest,
    runtime: { ...manifest.runtime, agent_pid: tool?.pid ?? null },
  }));
  const facts = await publishCapability(context, draft.paths.manifest);
  crashPoint('session.launch.published');
  return facts;
}

async function autoAttach(
  context: SessionContext,
  manifestPath: string,
  wanted: AttachOptions | undefined,
): Promise<Gateway> {
  if (!wanted) return { attached: undefined, attachError: undefined };
  try {
    return { attached: await attachLocal(context, manifestPath, wanted), attachError: undefined };
  } catch (error) {
    return { attached: undefined, attachError: asRouseError(error) };
  }
}

const SEEN_WITHIN_MS = 3000;

/** Waits until the gateway has seen the tool, which started after it. Returns the report with that status. */
async function agentSeen(
  context: SessionContext,
  facts: ManifestFacts,
  attached: AttachReport,
): Promise<AttachReport> {
  const { clock } = context;
  const deadline = clock.monotonic() + SEEN_WITHIN_MS;
  for (;;) {
    const { status } = await localStatus(context, facts);
    const seen = status.managed_agent_connectivity === 'connected';
    if (seen || clock.monotonic() >= deadline || context.signal?.aborted) return { ...attached, status };
    await new Promise<void>((resolve) => clock.after(50, resolve));
  }
}

function mcpReport({ metadata, declined }: Draft['additions']): McpReport | undefined {
  const door = metadata?.['mcp_door'] as McpDoor | undefined;
  if (declined !== undefined) return { declined };
  return door && { door, server: String(metadata?.['mcp_server']) };
}

/** Adds the screen of the pane: a tool that does not start explains itself there. */
async function explain(context: SessionContext, draft: Draft, error: unknown): Promise<RouseError> {
  const known = asRouseError(error);
  if (known.facts['cause'] !== 'tool_ended' && known.facts['cause'] !== 'tool_timeout') return known;
  const pane = await draft.tmux.agentPane(draft.tmuxSessionName).catch(() => undefined);
  const screen = pane ? await draft.tmux.screen(pane.paneId) : '';
  const tail = screen
    .split('\n')
    .filter((line) => line.trim() !== '')
    .slice(-12)
    .join('\n');
  return new RouseError(known.code, known.message, {
    facts: known.facts,
    hint: tail
      ? `its screen shows:\n${tail}`
      : `try "${draft.plan.words.join(' ')}" by hand in ${draft.workdir}`,
    cause: context.signal?.aborted ? context.signal.reason : known,
  });
}
