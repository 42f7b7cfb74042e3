import * as fs from 'node:fs';
import { commandLine, conflict, isRouseError, RouseError } from '../../base/index.ts';
import {
  CAPABILITIES,
  defaultAgentId,
  isHeadless,
  type Project,
  parseAgentName,
  relaunchCommand,
} from '../../domain/index.ts';
import { readConversation } from '../../terminal/index.ts';
import { toolOf } from '../../tools/index.ts';
import { endedIn, nameOnMachine } from '../called.ts';
import { type SkillsAtLaunch, skillsForLaunch } from '../equip/skills.ts';
import { findEnded, whereabouts } from '../live-sessions.ts';
import { launchFacts, type ManifestFacts } from '../records/manifest-facts.ts';
import { findProject, projectOf } from '../records/project.ts';
import { sessionPaths } from '../records/session-paths.ts';
import type { SessionContext } from '../session-context.ts';
import { askedDigest } from './asked-digest.ts';
import { refuseTakenName, withClaimedName } from './claim-name.ts';
import { requireWorkdir } from './launch-plan.ts';
import type { LaunchOptions } from './prepare-launch.ts';
import { type BroughtBack, bringBack } from './relaunch.ts';

/**
 * How a launch continues after its agent was stopped. `session`: the same launch, so its session comes back, with its
 * conversation, queue, reminders and wake settings. `conversation`: only that goes into the new session. `why`: a new
 * conversation begins although the agent had one.
 */
export type AfterStop =
  | { session: ManifestFacts }
  | { conversation: string; note: string }
  | { why: string }
  | undefined;

export async function afterStop(context: SessionContext, options: LaunchOptions): Promise<AfterStop> {
  const shortName = parseAgentName(options.agentName, '--agent-name');
  const project = projectAt(options);
  const before = endedIn(context, project, shortName);
  if (!before || before.joined || options.owner) return undefined;
  const { agentName, agentId } = before;
  if (agentId !== (options.agentId ?? defaultAgentId(agentName))) return undefined;
  if (!fs.existsSync(sessionPaths(before.root).stopped)) return undefined;
  if (CAPABILITIES[before.backend].owner !== null) return undefined;
  const workdir = requireWorkdir(options.workdir, options.cwd);
  if ((await whereabouts(context, { name: shortName, project, workdir })).state !== 'none') return undefined;
  if (launchFacts(before.document)['asked'] === askedDigest(options, workdir)) return { session: before };
  const tool = toolOf(options.tool);
  const conversation = readConversation(before.root);
  const headless = options.headless || isHeadless(before.backend);
  if (conversation === undefined && !isHeadless(before.backend)) return undefined;
  if (before.tool !== tool?.name) return { why: `its last session ran ${before.tool}` };
  if (before.workingDirectory !== workdir)
    return { why: `its last session worked in ${before.workingDirectory}` };
  if (headless || conversation === undefined || !tool.resume)
    return { why: 'its last session was launched in another way' };
  return {
    conversation,
    note: 'it was launched with other options before, so only its conversation came back: its queue and its reminders did not',
  };
}

/**
 * The stopped session of the agent that a person calls `ana` or `app/ana`. Undefined if no such agent was stopped. Fails if
 * it still has a session.
 */
export async function stoppedCalled(
  context: SessionContext,
  called: string,
): Promise<ManifestFacts | undefined> {
  const stopped = findEnded(context, { agentName: nameOnMachine(context, called) });
  if (!stopped || stopped.joined || CAPABILITIES[stopped.backend].owner !== null) return undefined;
  const { agentName, shortName, workingDirectory: workdir } = stopped;
  const now = await whereabouts(context, { name: shortName, project: projectOf(stopped), workdir });
  if (now.state === 'running')
    throw conflict(`agent ${agentName} runs already`, {
      hint: `"${commandLine`rouse open ${agentName}`}" leads to it`,
      facts: { cause: 'agent_in_use' },
    });
  if (now.state === 'lost')
    throw conflict(`the session of agent ${agentName} ended without being stopped`, {
      hint: `"${relaunchCommand(agentName)}" brings it back`,
      facts: { cause: 'session_gone' },
    });
  return fs.existsSync(sessionPaths(stopped.root).stopped) ? stopped : undefined;
}

const projectAt = ({ project, workdir, cwd }: LaunchOptions): Project =>
  project ?? findProject(requireWorkdir(workdir, cwd));

export interface BackAfterStop extends BroughtBack {
  skills: SkillsAtLaunch | undefined;
}

/** Brings a stopped session back as it was, with its gateway if it had one or one is wanted now. */
export async function bringBackStopped(
  context: SessionContext,
  stopped: ManifestFacts,
  options: LaunchOptions,
): Promise<BackAfterStop> {
  const { autoAttach, takeOver } = options;
  return withClaimedName(context, projectAt(options), options, async (claimed) => {
    const { tool, agentName } = stopped;
    if (claimed.agentName !== agentName)
      throw conflict(`the name ${agentName} of the stopped agent is taken`, {
        hint: `"${commandLine`rouse launch ${tool} ${claimed.shortName} --fresh`}" begins a new one, as ${claimed.agentName}`,
        facts: { cause: 'agent_in_use' },
      });
    await refuseTakenName(context, claimed);
    const skills =
      options.mailbox !== false && options.skills !== false
        ? skillsForLaunch({ tool, home: options.home, env: context.env })
        : undefined;
    try {
      const gateway = autoAttach ? 'always' : 'as_before';
      const back = await bringBack(context, stopped, {
        resume: true,
        gateway,
        attach: autoAttach,
        rejoin: { takeOver },
      });
      return { ...back, skills };
    } catch (error) {
      if (!isRouseError(error) || error.facts['cause'] !== 'tool_ended') throw error;
      throw new RouseError(
        error.code,
        `${agentName} could not go on where it was stopped: ${error.message}`,
        {
          hint: `"${commandLine`rouse launch ${tool} ${agentName} --fresh`}" begins a new conversation`,
          facts: error.facts,
          cause: error,
        },
      );
    }
  });
}
