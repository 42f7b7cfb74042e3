import * as fs from 'node:fs';
import {
  asRouseError,
  conflict,
  crashPoint,
  newUuid,
  type ProcessIdentity,
  RouseError,
  writeFileAtomic,
} from '../base/index.ts';
import {
  defaultAgentId,
  parseAgentId,
  parseAgentName,
  runtimeSessionId,
  tmuxSessionName,
} from '../domain/index.ts';
import { requireSessionName } from '../tmux/index.ts';
import { type AttachOptions, type AttachReport, attachLocal } from './attach.ts';
import { endSession } from './end-session.ts';
import { handedEnvironment } from './handed-environment.ts';
import { additionsFor, argsInSession, planTool, requireWorkdir, type ToolPlan } from './launch-plan.ts';
import { type Bound, bindMailbox, unbindMailbox } from './mailbox-binding.ts';
import type { ManifestFacts } from './manifest-facts.ts';
import { createManifest, updateManifest } from './manifest-store.ts';
import { newManifest } from './new-manifest.ts';
import { idleShell, type ToolTrace, writePaneProgram } from './pane-program.ts';
import { publishCapability } from './publish-capability.ts';
import { refuseTakenName } from './refuse-taken-name.ts';
import { removeRecord } from './registry.ts';
import type { SessionContext } from './session-context.ts';
import { makeSessionDirectories, newSessionRoot, type SessionPaths, sessionPaths } from './session-paths.ts';
import { type Pane, SessionTmux } from './session-tmux.ts';
import { sweepEnvironmentFiles } from './sweep-environment-files.ts';
import { recordedSocket, socketOf } from './tmux-socket.ts';
import type { SessionAdditions } from './tools/preset.ts';
import { waitForTool } from './wait-for-tool.ts';

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
  /** Undefined: a filesystem mailbox under the default root. */
  mailbox?: { root?: string | undefined; address?: string | undefined } | false | undefined;
  /** Attach a gateway once the session runs. */
  autoAttach?: AttachOptions | undefined;
}

export interface LaunchReport {
  facts: ManifestFacts;
  paneId: string;
  toolPid: number | null;
  attached: AttachReport | undefined;
  /** The session runs; only its gateway does not. */
  attachError: RouseError | undefined;
}

/**
 * Launches an agent: checks, mailbox, session root, tmux session with the tool in window 0, publication. What
 * fails on the way is taken back, so that nothing runs and nothing is left. A gateway that cannot be attached
 * afterwards leaves the session running and is reported.
 */
export async function launch(context: SessionContext, options: LaunchOptions): Promise<LaunchReport> {
  const draft = await prepare(context, options);
  const undo: (() => unknown)[] = [];
  try {
    const bound = await openMailbox(context, options, draft, undo);
    const { pane, trace } = await startSession(context, options, draft, bound, undo);
    undo.push(() => removeRecord(context.settings.registryDir, draftFacts(draft), context.clock));
    const tool = trace ? await waitForTool(context, trace) : undefined;
    const facts = await publish(context, draft, tool);
    return {
      facts,
      paneId: pane.paneId,
      toolPid: tool?.pid ?? null,
      ...(await autoAttach(context, facts, options)),
    };
  } catch (error) {
    const explained = await explain(context, draft, error);
    for (const step of undo.reverse()) await Promise.resolve(step()).catch(() => {});
    throw explained;
  }
}

interface Draft {
  agentName: string;
  agentId: string;
  sessionId: string;
  generationId: string;
  tmuxSessionName: string;
  tmux: SessionTmux;
  workdir: string;
  paths: SessionPaths;
  plan: ToolPlan;
  additions: SessionAdditions;
  createdAt: Date;
}

/** Everything that can be refused is refused here, before anything is made. */
async function prepare(context: SessionContext, options: LaunchOptions): Promise<Draft> {
  const { settings, env, clock } = context;
  const createdAt = clock.now();
  const agentName = parseAgentName(options.agentName, '--agent-name');
  const agentId =
    options.agentId === undefined ? defaultAgentId(agentName) : parseAgentId(options.agentId, '--agent-id');
  const workdir = requireWorkdir(options.workdir, options.cwd);
  const session = requireSessionName(options.sessionName ?? tmuxSessionName(agentName, createdAt));
  const tmux = new SessionTmux(socketOf(settings.tmuxSocket, env), env);
  const plan = planTool({ ...options, workdir }, env);
  const sessionId = runtimeSessionId(plan.backend, createdAt);
  const paths = sessionPaths(newSessionRoot(settings.runtimeDir, plan.backend, sessionId));
  await refuseTakenName(context, { agentName, agentId });
  if (await tmux.hasSession(session)) {
    throw conflict(`tmux session "${session}" exists already`, {
      hint: 'choose another --session-name',
      facts: { cause: 'tmux_session_exists' },
    });
  }
  return {
    agentName,
    agentId,
    sessionId,
    generationId: newUuid(),
    tmuxSessionName: session,
    tmux,
    workdir,
    paths,
    plan,
    additions: additionsFor(plan.preset, {
      root: paths.root,
      launchDir: paths.launch,
      signalsDir: paths.signals,
      agentName,
      headless: options.headless,
      args: plan.args,
    }),
    createdAt,
  };
}

async function openMailbox(
  context: SessionContext,
  options: LaunchOptions,
  draft: Draft,
  undo: (() => unknown)[],
): Promise<Bound | undefined> {
  if (options.mailbox === false) return undefined;
  const bound = await bindMailbox(
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
  makeSessionDirectories(paths);
  undo.push(() => fs.rmSync(paths.root, { recursive: true, force: true }));
  for (const file of draft.additions.files) {
    writeFileAtomic(file.path, file.content, { mode: file.mode ?? 0o600, durable: false });
  }
  createManifest(paths.root, manifestOf(draft, options, context, bound));
  const program = plan.headless
    ? { command: idleShell(context.env), trace: undefined }
    : writePaneProgram({
        directory: paths.launch,
        title: draft.agentName,
        workdir,
        command: [plan.words[0]!, ...argsInSession(plan, draft.additions)],
        env: toolEnvironment(context.env, plan, { manifest: paths.manifest, agentId: draft.agentId }),
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

/** What the tool gets: the caller's environment, its own home, and where it belongs. */
export function toolEnvironment(
  env: NodeJS.ProcessEnv,
  plan: Pick<ToolPlan, 'preset' | 'home'>,
  place: { manifest: string; agentId: string },
): Record<string, string> {
  return {
    ...handedEnvironment(env, plan.preset.nestedMarks),
    ...(plan.home && { [plan.home.env_var]: plan.home.home_path }),
    HOUMAO_MANIFEST_PATH: place.manifest,
    HOUMAO_AGENT_ID: place.agentId,
  };
}

const CREDENTIAL = /(KEY|TOKEN|SECRET|PASSWORD|AUTH|CREDENTIALS?)$/;

function manifestOf(draft: Draft, options: LaunchOptions, context: SessionContext, bound: Bound | undefined) {
  const { plan } = draft;
  return newManifest({
    ...draft,
    backend: plan.backend,
    tool: plan.preset.tool,
    tmuxSocket: recordedSocket(draft.tmux.socket, context.env),
    joined: false,
    mailbox: bound?.binding ?? null,
    plan: {
      executable: plan.words[0]!,
      args: argsInSession(plan, draft.additions),
      home: plan.home,
      envVarNames: Object.keys(context.env)
        .filter((name) => CREDENTIAL.test(name))
        .sort(),
      role: plan.role,
      roleName: options.roleName ?? null,
      posture: 'runtime_launch_plan',
      launchEnv: [],
      metadata: {
        process_names: plan.preset.processNames,
        ...draft.additions.metadata,
        ...(plan.headless && { headless: { ...plan.headless, role_prompt: options.rolePrompt ?? null } }),
      },
    },
  });
}

async function publish(
  context: SessionContext,
  draft: Draft,
  tool: ProcessIdentity | undefined,
): Promise<ManifestFacts> {
  if (tool) {
    await updateManifest(draft.paths.root, context.clock, (manifest) => ({
      ...manifest,
      runtime: { ...manifest.runtime, agent_pid: tool.pid },
    }));
  }
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

function draftFacts(draft: Draft): ManifestFacts {
  return { agentId: draft.agentId, generationId: draft.generationId } as ManifestFacts;
}
