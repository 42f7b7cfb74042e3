import * as fs from 'node:fs';
import * as path from 'node:path';
import {
  asRouseError,
  commandLine,
  conflict,
  findProgram,
  internal,
  proxyExceptions,
  type RouseError,
  unsupported,
} from '../../base/index.ts';
import { CAPABILITIES, isHeadless } from '../../domain/index.ts';
import { readConversation } from '../../terminal/index.ts';
import { ownerKind } from '../../terminal/owners.ts';
import { toolOf } from '../../tools/index.ts';
import { VARIABLE } from '../../wire/houmao/index.ts';
import type { SessionManifest } from '../../wire/index.ts';
import { handedEnvironment } from '../equip/programs.ts';
import { detectVersion, versionNotes } from '../examine.ts';
import { type FleetReport, joinFleetAtStart } from '../fleet.ts';
import { type AttachReport, attachLocal } from '../gateway/attach.ts';
import type { AttachOptions } from '../gateway/attach-plan.ts';
import { publishCapability } from '../gateway/publish.ts';
import { followSession } from '../live-sessions.ts';
import type { ManifestFacts } from '../records/manifest-facts.ts';
import { readManifest, updateManifest } from '../records/manifest-store.ts';
import { readRecord } from '../records/registry-read.ts';
import { sessionPaths } from '../records/session-paths.ts';
import { isWanted } from '../records/standing-from-files.ts';
import { type SessionContext, withLifecycleLock } from '../session-context.ts';
import { type Pane, type SessionTmux, tmuxOf } from '../session-tmux.ts';
import { renewTools } from './launch-plan.ts';
import { resumeWords } from './resume-words.ts';
import {
  descendants,
  endAll,
  idleShell,
  type ToolTrace,
  waitForTool,
  writePaneProgram,
} from './tool-pane.ts';

export interface BringBackOptions extends RelaunchOptions {
  /** `as_before`: only if one was attached and not detached since. */
  gateway: 'as_before' | 'always';
  /** How the gateway is attached. Default: as it was. */
  attach?: AttachOptions | undefined;
}

export interface BroughtBack extends RelaunchReport {
  /** Its gateway; undefined if it should have none, or was not attached. */
  attached: AttachReport | undefined;
  /** The tool runs, but its gateway does not. */
  attachError: RouseError | undefined;
}

/**
 * Starts the tool of an agent again, and its gateway in the mode it had. Queue, reminders and wake settings are in the
 * session's own files and continue with the gateway.
 */
export async function bringBack(
  context: SessionContext,
  recorded: ManifestFacts,
  { gateway, attach, ...options }: BringBackOptions,
): Promise<BroughtBack> {
  const gatewayFollows = gateway === 'always' || isWanted(sessionPaths(recorded.root));
  const back = await relaunch(context, recorded, { ...options, gatewayFollows });
  if (!gatewayFollows) return { ...back, attached: undefined, attachError: undefined };
  try {
    const attached = await attachLocal(context, back.facts.path, attach ?? {});
    return { ...back, attached, attachError: undefined };
  } catch (error) {
    return { ...back, attached: undefined, attachError: asRouseError(error) };
  }
}

export interface RelaunchOptions {
  /** Continue the tool's conversation, if it is known and the tool can. */
  resume?: boolean | undefined;
  /** A gateway is attached afterwards, so the tool gets its address now. */
  gatewayFollows?: boolean | undefined;
  /** It was stopped and has left its fleet: register it again, before programs of the tool may act as the agent. */
  rejoin?: { takeOver?: boolean | undefined } | undefined;
}

export interface RelaunchReport {
  facts: ManifestFacts;
  paneId: string | null;
  toolPid: number | null;
  /** The fleet server it was registered with again. */
  fleet?: FleetReport | undefined;
  fleetError?: RouseError | undefined;
  /** The tmux session was gone and was made again. */
  revived: boolean;
  /** It continues its conversation. */
  resumed: boolean;
  notes: string[];
}

/**
 * Starts a new instance of the tool in window 0, pane 0, as the manifest describes. One that still runs is ended first. A
 * session whose tmux server died gets a new tmux session of the same name. Credentials come from the caller's
 * environment, because they are stored nowhere.
 */
export function relaunch(
  context: SessionContext,
  recorded: ManifestFacts,
  { resume = false, gatewayFollows = false, rejoin }: RelaunchOptions = {},
): Promise<RelaunchReport> {
  return withLifecycleLock(context, recorded.root, async () => {
    const { facts, lives } = await followSession(context, recorded);
    requireRelaunchable(readManifest(facts.root));
    requireOwnRecord(context, facts);
    const tmux = tmuxOf(context, facts);
    const revived = !lives;
    if (revived && facts.sharesSession) await requireSessionGone(tmux, facts);
    if (revived) await refuseSecondTool(tmux, readManifest(facts.root), facts);
    const membership = rejoin && (await joinFleetAtStart(context, facts, rejoin));
    const { manifest: renewed, passingEnv } = await renewTools(context, facts, gatewayFollows);
    const manifest = withCurrentProgram(context, renewed, facts);
    const env = { ...toolEnvironment(context, manifest, facts), ...passingEnv };
    const again = resume ? resumedWords(manifest, facts) : undefined;
    const { command, trace } = paneCommand(context, manifest, facts, { env, args: again });
    if (revived) await newSession(tmux, facts, command);
    else await respawn(context, tmux, facts, command);
    const [tool, version] = await Promise.all([
      trace ? waitForTool(context, trace) : undefined,
      toolVersion(manifest, facts, env),
    ]);
    await updateManifest(facts.root, context.clock, (before) => ({
      ...before,
      runtime: { ...before.runtime, agent_pid: tool?.pid ?? null },
      launch_plan: { ...before.launch_plan, executable: manifest.launch_plan.executable },
      ...(revived && madeHere(before)),
      ...(version !== null && {
        launch_policy_provenance: { ...before.launch_policy_provenance, detected_tool_version: version },
      }),
    }));
    await publishCapability(context, facts.path);
    fs.rmSync(sessionPaths(facts.root).stopped, { force: true });
    const resumed = again !== undefined || (resume && isHeadless(facts.backend));
    const notes = [...missingCredentials(context, manifest), ...versionNotes(facts.tool, version)];
    if (resume && !resumed)
      notes.push(`${facts.tool} began a new conversation, because no earlier one is known`);
    const pane = await tmux.agentPane(facts.tmuxSessionName, facts.agentPane);
    const paneId = pane?.paneId ?? null;
    return { facts, paneId, toolPid: tool?.pid ?? null, ...membership, revived, resumed, notes };
  });
}

function requireRelaunchable(manifest: SessionManifest): void {
  const authority = manifest.agent_launch_authority;
  const { owner } = CAPABILITIES[manifest.backend];
  if (owner !== null) {
    throw unsupported(
      `agent ${manifest.agent_name} was started by ${owner}, and only ${owner} can start it again`,
      {
        hint: `create a terminal there and join it: ${ownerKind(manifest.backend).joinCommand(manifest.cao?.api_base_url)}`,
        facts: { cause: 'not_relaunchable' },
      },
    );
  }
  if (!authority || authority.posture_kind === 'unavailable') {
    throw unsupported(
      `agent ${manifest.agent_name} was joined without launch options and cannot be relaunched`,
      {
        hint: 'join it again with --launch-args',
        facts: { cause: 'not_relaunchable' },
      },
    );
  }
  if (authority.tmux_session_name !== manifest.tmux_session_name) {
    throw conflict('the launch authority of the manifest names another tmux session', {
      facts: { cause: 'manifest_inconsistent' },
    });
  }
}

/** Another session may have the id now. */
function requireOwnRecord(context: SessionContext, facts: ManifestFacts): void {
  const record = readRecord(context.settings.registryDir, facts.agentId);
  if (!record || record === 'malformed' || record.generation_id === facts.generationId) return;
  throw conflict(
    `agent id ${facts.agentId} belongs to another session now, "${record.terminal.session_name}"`,
    {
      facts: { cause: 'agent_in_use' },
    },
  );
}

/** A session without a pointer looks gone. If the tool still runs in one, it must not be started twice. */
async function refuseSecondTool(
  tmux: SessionTmux,
  { runtime }: SessionManifest,
  facts: ManifestFacts,
): Promise<void> {
  const session = runtime?.agent_pid ? await tmux.sessionOfProcess(runtime.agent_pid) : undefined;
  if (session === undefined) return;
  throw conflict(`the tool of agent ${facts.agentName} still runs, in tmux session "${session}"`, {
    hint: `point that session at its manifest: tmux set-environment -t '=${session}:' ${VARIABLE.manifestPath} ${facts.path}`,
    facts: { cause: 'tool_running', tmux_session: session, pid: runtime!.agent_pid },
  });
}

function paneCommand(
  context: SessionContext,
  manifest: SessionManifest,
  facts: ManifestFacts,
  { env, args: resumedArgs }: { env: Record<string, string>; args: string[] | undefined },
): { command: string[]; trace: ToolTrace | undefined } {
  if (isHeadless(facts.backend)) return { command: idleShell(context.env), trace: undefined };
  const { executable, args } = manifest.launch_plan;
  if (!executable) throw internal(`${facts.path} names no program to run`);
  return writePaneProgram({
    directory: sessionPaths(facts.root).launch,
    title: facts.agentName,
    workdir: facts.workingDirectory,
    command: [executable, ...(resumedArgs ?? args)],
    env,
    without: toolOf(facts.tool)?.process.nestedMarks,
  });
}

/** The tool's arguments to continue its conversation; undefined if it cannot, or the conversation is unknown. */
function resumedWords(manifest: SessionManifest, facts: ManifestFacts): string[] | undefined {
  const tool = toolOf(facts.tool);
  const session = readConversation(facts.root);
  if (!tool || session === undefined || isHeadless(facts.backend)) return undefined;
  return resumeWords(tool, manifest.launch_plan.args, session);
}

function toolEnvironment(
  context: SessionContext,
  manifest: SessionManifest,
  facts: ManifestFacts,
): Record<string, string> {
  const home = manifest.launch_plan.home_selector;
  return {
    ...handedEnvironment(context.env, toolOf(facts.tool)?.process.nestedMarks),
    ...(home?.env_var && home.home_path && { [home.env_var]: home.home_path }),
    ...launchEnv(manifest, context.env),
    ...proxyExceptions(context.env),
    [VARIABLE.manifestPath]: facts.path,
    [VARIABLE.agentId]: facts.agentId,
  };
}

/** A tool that was found on PATH is looked up again: it may have been updated, or installed elsewhere. */
function withCurrentProgram(
  { env }: SessionContext,
  manifest: SessionManifest,
  facts: ManifestFacts,
): SessionManifest {
  const own = toolOf(facts.tool)?.process;
  const { executable } = manifest.launch_plan;
  if (!own || own.packaged || !executable || path.basename(executable) !== own.executable) return manifest;
  const found = findProgram(own.executable, env, facts.workingDirectory) ?? executable;
  return { ...manifest, launch_plan: { ...manifest.launch_plan, executable: found } };
}

/** The session that a person had started is gone. The new one is ours, and stop ends it. */
function madeHere({ tmux, agent_launch_authority: authority }: SessionManifest): Partial<SessionManifest> {
  return {
    ...(tmux && { tmux: { ...tmux, before_join: null, agent_pane: null, variables_of: null } }),
    ...(authority && { agent_launch_authority: { ...authority, session_origin: null } }),
  };
}

/** The tool may have been updated since the launch. */
async function toolVersion(
  manifest: SessionManifest,
  facts: ManifestFacts,
  env: Record<string, string>,
): Promise<string | null> {
  const tool = toolOf(facts.tool);
  const { executable } = manifest.launch_plan;
  return tool && executable
    ? detectVersion(tool.process, executable, { cwd: facts.workingDirectory, env })
    : null;
}

function launchEnv(manifest: SessionManifest, env: NodeJS.ProcessEnv): Record<string, string> {
  const pairs = (manifest.agent_launch_authority?.launch_env ?? []).map((each) => [
    each.name,
    each.mode === 'literal' ? each.value : env[each.name],
  ]);
  return Object.fromEntries(pairs.filter((pair) => pair[1] !== undefined));
}

function newSession(tmux: SessionTmux, facts: ManifestFacts, command: string[]): Promise<Pane> {
  return tmux.newSession({
    session: facts.tmuxSessionName,
    name: 'agent',
    directory: facts.workingDirectory,
    command,
    env: { [VARIABLE.manifestPath]: facts.path, [VARIABLE.agentId]: facts.agentId },
  });
}

/** What ran in the pane is ended, even a tool that outlives its terminal: two instances would share one home. */
async function respawn(
  context: SessionContext,
  tmux: SessionTmux,
  facts: ManifestFacts,
  command: string[],
): Promise<void> {
  const pane = await tmux.paneOf(facts);
  if (!pane) return newWindow(tmux, facts, command);
  const before = descendants(pane.pid);
  await tmux.respawn(pane.paneId, facts.workingDirectory, command);
  await endAll(before, context.clock);
}

/** In a session that Rouse made, window 0 is the agent's, unless others are in it. The pane of a joined one is unknown. */
async function newWindow(tmux: SessionTmux, facts: ManifestFacts, command: string[]): Promise<void> {
  const { tmuxSessionName: session, workingDirectory: directory } = facts;
  const isTaken = (await tmux.panes(session)).some(({ windowIndex }) => windowIndex === '0');
  if (facts.agentPane !== undefined || isTaken) throw paneGone(facts);
  await tmux.newFirstWindow({ session, name: 'agent', directory, command });
}

function paneGone({ agentName, tmuxSessionName: session }: ManifestFacts): Error {
  return conflict(`the pane of agent ${agentName} is gone from tmux session "${session}"`, {
    hint: `"${commandLine`rouse stop --agent-name ${agentName}`}" forgets the agent; start the tool in another pane, and join it there`,
    facts: { cause: 'agent_window_missing' },
  });
}

/** The session lives on with its other agents, so no new one can be made for it. */
async function requireSessionGone(tmux: SessionTmux, facts: ManifestFacts): Promise<void> {
  if (await tmux.hasSession(facts.tmuxSessionName)) throw paneGone(facts);
}

function missingCredentials(context: SessionContext, manifest: SessionManifest): string[] {
  const missing = manifest.launch_plan.env_var_names.filter((name) => context.env[name] === undefined);
  return missing.length === 0
    ? []
    : [`set at launch but not now: ${missing.join(', ')}; the tool may have to log in again`];
}
