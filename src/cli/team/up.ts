import { notReady } from '../../base/index.ts';
import { relaunchCommand } from '../../domain/index.ts';
import type {
  BroughtBack,
  LaunchOptions,
  LaunchReport,
  ListedAgent,
  ManifestFacts,
} from '../../session/index.ts';
import { sessionContext } from '../agents/target.ts';
import { turnOnWakes, type Wakes } from '../agents/wake.ts';
import type { Flag, Input, InputOf, Output } from '../command.ts';
import { roleOf, withPreset } from '../config/preset.ts';
import {
  forEach,
  type MemberReport,
  membersOf,
  requireOurs,
  type TeamMember,
  teamOutput,
} from './members.ts';

export const FRESH = {
  name: 'fresh',
  summary: 'begin new conversations for those that were stopped',
} as const satisfies Flag;

type UpInput = InputOf<readonly [typeof FRESH]>;

/** Leaves running agents alone, starts missing ones, and brings lost ones back. */
export async function runUp(input: UpInput): Promise<Output> {
  const { file, members } = await membersOf(input);
  const { isMember, listAgents, readManifestFacts } = await import('../../session/index.ts');
  const { agents } = await listAgents(sessionContext(input));
  const reports = await forEach(input, members, (member) => {
    const known = agents.find(
      ({ session, manifest_path }) =>
        session === 'running' && isMember(readManifestFacts(manifest_path), member),
    );
    return known ? keep(input, member, known) : begin(input, member);
  });
  return teamOutput(file, reports);
}

async function keep(input: Input, member: TeamMember, agent: ListedAgent): Promise<MemberReport> {
  const { name } = member;
  requireOurs(member, agent.working_directory);
  if (agent.tool_connectivity === 'unavailable')
    throw notReady(`its tool has ended, but its session ${agent.tmux_session_name} still runs`, {
      hint: `"${relaunchCommand(name)}" ends a shell that is left there and starts the tool again`,
      facts: { cause: 'tool_gone' },
    });
  const { attach, readManifestFacts, seenAgent } = await import('../../session/index.ts');
  const facts = readManifestFacts(agent.manifest_path);
  const isMissing = agent.gateway === 'not_attached' || agent.gateway === 'down';
  if (isMissing) {
    input.progress(`attaching the gateway of ${name}`);
    await attach(sessionContext(input), { kind: 'local', facts }, {});
  }
  const { needs_you, gateway, reason } = await seenAgent(sessionContext(input), facts);
  const detail = `${agent.tmux_session_name}${isMissing ? '; its gateway was attached' : ''}`;
  const note = needs_you ? `needs you: ${needs_you}` : gateway === 'restarting' ? reason : undefined;
  return { name, action: 'running', detail, ...(note && { notes: [note] }) };
}

async function begin(input: UpInput, member: TeamMember): Promise<MemberReport> {
  const { whereabouts } = await import('../../session/index.ts');
  const found = await whereabouts(sessionContext(input), member);
  if (found.state === 'none') return startAgain(input, member);
  requireOurs(member, found.facts.workingDirectory);
  return bringBack(input, member, found.facts);
}

async function bringBack(input: Input, { name }: TeamMember, facts: ManifestFacts): Promise<MemberReport> {
  const session = await import('../../session/index.ts');
  input.progress(`bringing back ${name}`);
  return broughtBack(
    { name },
    await session.bringBack(sessionContext(input), facts, { resume: true, gateway: 'always' }),
  );
}

function broughtBack({ name }: Pick<TeamMember, 'name'>, back: BroughtBack): MemberReport {
  if (back.attachError) throw back.attachError;
  return {
    name,
    action: 'brought_back',
    detail: `${back.facts.tmuxSessionName}${back.resumed ? ', with its conversation' : ''}`,
    notes: back.notes,
  };
}

/** A stopped agent continues where it was, unless the line asks for a fresh start. */
async function startAgain(input: UpInput, member: TeamMember): Promise<MemberReport> {
  const options = await optionsOf(input, member);
  if (input.flags.fresh) return start(input, member, options);
  const { afterStop, bringBackStopped } = await import('../../session/index.ts');
  const before = await afterStop(sessionContext(input), options);
  if (!before) return start(input, member, options);
  if ('why' in before) {
    const begun = await start(input, member, options);
    return { ...begun, notes: [...(begun.notes ?? []), `it began a new conversation: ${before.why}`] };
  }
  if ('conversation' in before) {
    const { conversation, note } = before;
    const begun = await start(input, member, { ...options, conversation });
    return {
      ...begun,
      detail: `${begun.detail}, with its conversation`,
      notes: [...(begun.notes ?? []), note],
    };
  }
  input.progress(`bringing back ${member.name}`);
  return broughtBack(member, await bringBackStopped(sessionContext(input), before.session, options));
}

async function start(input: Input, member: TeamMember, options: LaunchOptions): Promise<MemberReport> {
  const { launch } = await import('../../session/index.ts');
  const { name, setting } = member;
  input.progress(`starting ${name}`);
  const launched = await launch(sessionContext(input), options);
  const wanted = setting.value.wake !== false && launched.attached;
  const wakes = wanted ? await turnOnWakes(input, launched.facts) : {};
  return { ...lacking(launched, wakes), name, action: 'started' };
}

function lacking(
  { facts, notes, attachError, fleetError }: LaunchReport,
  { wakeError }: Wakes,
): Pick<MemberReport, 'detail' | 'notes' | 'error'> {
  const problems = [
    ...(attachError ? [`its gateway was not attached: ${attachError.message}`] : []),
    ...(wakeError ? [`it is not woken for mail: ${wakeError.message}`] : []),
    ...(fleetError ? [`the fleet server does not know it: ${fleetError.message}`] : []),
  ];
  return {
    detail: `${facts.tool} in ${facts.tmuxSessionName}`,
    notes: [...problems, ...notes],
    error: attachError ?? wakeError ?? fleetError,
  };
}

function optionsOf(
  { settings }: Input,
  { name, setting, workdir, project }: TeamMember,
): Promise<LaunchOptions> {
  const { tool, headless, mailbox, address } = setting.value;
  return withPreset<LaunchOptions>(
    settings.config,
    {
      tool: tool ?? name,
      agentName: name,
      project,
      workdir,
      cwd: workdir,
      headless: headless === true,
      args: [],
      rolePrompt: roleOf(setting),
      mailbox: { root: mailbox, address },
      autoAttach: { mode: 'hosted' },
    },
    setting.byProject,
  );
}
