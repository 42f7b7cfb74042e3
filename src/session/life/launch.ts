import * as fs from 'node:fs';
import {
  asRouseError,
  crashPoint,
  type ProcessIdentity,
  RouseError,
  writeFileAtomic,
} from '../../base/index.ts';
import { type Bound, unbindMailbox } from '../../mail/index.ts';
import { bindAgentMailbox } from '../bind-mailbox.ts';
import { detectVersion } from '../equip/detect-version.ts';
import { type SkillsAtLaunch, skillsForLaunch } from '../equip/skills.ts';
import { sweepEnvironmentFiles } from '../equip/sweep-environment-files.ts';
import { type AttachReport, attachLocal } from '../gateway/attach.ts';
import type { ManifestFacts } from '../records/manifest-facts.ts';
import { createManifest, updateManifest } from '../records/manifest-store.ts';
import { removeRecord } from '../records/registry.ts';
import { makeSessionDirectories } from '../records/session-paths.ts';
import type { SessionContext } from '../session-context.ts';
import type { Pane } from '../session-tmux.ts';
import { publishCapability } from '../target/publish-capability.ts';
import { withClaimedName } from './claim-name.ts';
import { endSession } from './end-session.ts';
import { type FleetReport, joinFleetAtStart, leaveFleet } from './fleet-membership.ts';
import {
  type Draft,
  identityOf,
  type LaunchOptions,
  manifestOf,
  prepareLaunch,
  toolEnvironment,
} from './launch-draft.ts';
import { argsInSession } from './launch-plan.ts';
import { idleShell, type ToolTrace, writePaneProgram } from './pane-program.ts';
import { waitForTool } from './wait-for-tool.ts';

export interface LaunchReport {
  facts: ManifestFacts;
  paneId: string;
  toolPid: number | null;
  /** The mail skills of its tool; undefined when there was nothing to do about them. */
  skills?: SkillsAtLaunch | undefined;
  attached: AttachReport | undefined;
  /** The session runs; only its gateway does not. */
  attachError: RouseError | undefined;
  /** The fleet server it was registered with. */
  fleet?: FleetReport | undefined;
  /** The session runs; only the fleet server does not know it. */
  fleetError?: RouseError | undefined;
}

/**
 * Launches an agent: checks, mailbox, session root, tmux session with the tool in window 0, publication. What
 * fails on the way is taken back, so that nothing runs and nothing is left. A gateway that cannot be attached
 * afterwards leaves the session running and is reported.
 */
export async function launch(context: SessionContext, options: LaunchOptions): Promise<LaunchReport> {
  const identity = identityOf(options);
  const launched = await withClaimedName(context.settings.registryDir, identity, async () =>
    start(context, options, await prepareLaunch(context, options, identity)),
  );
  return { ...launched, ...(await autoAttach(context, launched.facts, options)) };
}

type Launched = Omit<LaunchReport, 'attached' | 'attachError'>;

async function start(context: SessionContext, options: LaunchOptions, draft: Draft): Promise<Launched> {
  const undo: (() => unknown)[] = [];
  try {
    const bound = await openMailbox(context, options, draft, undo);
    const skills = bound && options.skills !== false ? installSkills(draft, context) : undefined;
    makeSessionDirectories(draft.paths);
    undo.push(() => fs.rmSync(draft.paths.root, { recursive: true, force: true }));
    // Before the tool starts: what it starts in turn may want to speak as the agent.
    const membership = await joinFleetAtStart(
      context,
      { ...draft, root: draft.paths.root, tool: draft.plan.tool.name },
      options,
    );
    undo.push(() => leaveFleet(draft.paths.root));
    const { pane, trace } = await startSession(context, options, draft, bound, undo);
    undo.push(() => removeRecord(context.settings.registryDir, draft, context.clock));
    const [tool, version] = await Promise.all([
      trace ? waitForTool(context, trace) : undefined,
      toolVersion(draft, context.env),
    ]);
    const facts = await publish(context, draft, { tool, version });
    return { facts, paneId: pane.paneId, toolPid: tool?.pid ?? null, ...membership, skills };
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
      address: options.mailbox?.address,
      agentName: draft.agentName,
      manifestPath: draft.paths.manifest,
    },
    context.clock,
  );
  if (!bound.reused) undo.push(() => unbindMailbox(bound.binding, 'purge', context.clock));
  return bound;
}

async function startSession(
  context: SessionContext,
  options: LaunchOptions,
  draft: Draft,
  bound: Bound | undefined,
  undo: (() => unknown)[],
): Promise<{ pane: Pane; trace: ToolTrace | undefined }> {
  const { paths, plan, workdir, tmux } = draft;
  sweepEnvironmentFiles(context.settings.runtimeDir, context.clock);
  for (const file of draft.additions.files) {
    writeFileAtomic(file.path, file.content, { mode: file.mode ?? 0o600, durable: false });
  }
  createManifest(paths.root, manifestOf(draft, options, context.env, bound?.binding ?? null));
  const program = plan.headless
    ? { command: idleShell(context.env), trace: undefined }
    : writePaneProgram({
        directory: paths.launch,
        title: draft.agentName,
        workdir,
        command: [plan.words[0]!, ...argsInSession(plan, draft.additions)],
        env: toolEnvironment(draft, context.env),
        without: plan.tool.process.nestedMarks,
      });
  crashPoint('session.launch.before_tmux');
  undo.push(() => endSession(tmux, draft.tmuxSessionName, context.clock));
  const pane = await tmux.newSession({
    session: draft.tmuxSessionName,
    name: 'agent',
    directory: workdir,
    command: program.command,
    env: { HOUMAO_MANIFEST_PATH: paths.manifest, HOUMAO_AGENT_ID: draft.agentId },
  });
  return { pane, trace: program.trace };
}

function toolVersion(draft: Draft, env: NodeJS.ProcessEnv): Promise<string | null> {
  const { tool, words } = draft.plan;
  return detectVersion(tool.process, words[0]!, { cwd: draft.workdir, env: toolEnvironment(draft, env) });
}

async function publish(
  context: SessionContext,
  draft: Draft,
  { tool, version }: { tool: ProcessIdentity | undefined; version: string | null },
): Promise<ManifestFacts> {
  await updateManifest(draft.paths.root, context.clock, (manifest) => ({
    ...manifest,
    runtime: { ...manifest.runtime, agent_pid: tool?.pid ?? null },
    ...(version !== null && { launch_policy_provenance: { detected_tool_version: version } }),
  }));
  const facts = await publishCapability(context, draft.paths.manifest);
  crashPoint('session.launch.published');
  return facts;
}

async function autoAttach(
  context: SessionContext,
  facts: ManifestFacts,
  options: LaunchOptions,
): Promise<Pick<LaunchReport, 'attached' | 'attachError'>> {
  if (!options.autoAttach) return { attached: undefined, attachError: undefined };
  try {
    return { attached: await attachLocal(context, facts.path, options.autoAttach), attachError: undefined };
  } catch (error) {
    return { attached: undefined, attachError: asRouseError(error) };
  }
}

/** Adds what the pane shows: a tool that does not start says why on its screen. */
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
      ? `its screen said:\n${tail}`
      : `try "${draft.plan.words.join(' ')}" by hand in ${draft.workdir}`,
    cause: context.signal?.aborted ? context.signal.reason : known,
  });
}
