/**
 * Session: one agent in its tmux session, from outside. Launch, join, list, show, stop, relaunch; and the life of
 * its gateway: attach, status, detach.
 *
 * Promises  manifest.json is the one authority, written whole and under a lock; everything else is derived from it.
 *           A gateway is called live only when the recorded process runs and answers as itself.
 *           Window 0 is never closed. A signal goes only to a process whose start time is the recorded one.
 *           A pointer that leads elsewhere is refused; nobody guesses another agent, server or pane.
 *           Credentials stand in no argument, no tmux variable and no file that others can read.
 * Never     Types into an agent but through the lane of terminal/, edits a tool's own configuration unless a join is told to
 *           (the mail skills it adds are files of their own, with a mark beside them), starts a gateway nobody asked for.
 * Errors    RouseErrors whose `facts.cause` a program can read: port_in_use, session_lost, stale_pointer, …
 *
 * Loading this file is quick: what needs schemas or a database is loaded when it is called.
 */

import type { Clock } from '../base/index.ts';
import type { ScreenPicture } from '../screen/index.ts';
import type { DeliveryResult, DirectAct } from './direct-control.ts';
import type { AttachReport } from './gateway/attach.ts';
import type { AttachOptions } from './gateway/attach-plan.ts';
import type { DetachReport } from './gateway/detach.ts';
import type { HostReport } from './gateway/hosts-of-home.ts';
import type { StartedGateway } from './gateway/start-hosts.ts';
import type { BringBackOptions, BroughtBack } from './life/bring-back.ts';
import type { FleetMember, FleetRegistration, FleetReport } from './life/fleet-membership.ts';
import type { JoinOptions, JoinReport } from './life/join.ts';
import type { LaunchReport } from './life/launch.ts';
import type { LaunchOptions } from './life/launch-draft.ts';
import type { RelaunchOptions, RelaunchReport } from './life/relaunch.ts';
import type { StopOptions } from './life/stop.ts';
import type { StopReport } from './life/stop-report.ts';
import type { ManifestFacts } from './records/manifest-facts.ts';
import { readRegistry } from './records/registry-read.ts';
import type { SessionContext } from './session-context.ts';
import type { Target } from './target/resolve-target.ts';
import type { Whereabouts } from './target/whereabouts.ts';

export type { RegisterMailbox } from './agent-mail.ts';
export type { DeliveryResult, DirectAct } from './direct-control.ts';
export { packageRoot } from './equip/program-path.ts';
export type { SkillInstallation, SkillsAtLaunch, SkillTarget } from './equip/skills.ts';
export type { Handover } from './for-servers/handover.ts';
export type { AttachReport } from './gateway/attach.ts';
export type { AttachOptions } from './gateway/attach-plan.ts';
export type { DetachReport } from './gateway/detach.ts';
export { changesInWords, type GatewayChange } from './gateway/gateway-changes.ts';
export { type GatewayReport, gatewayStatus, localStatus } from './gateway/gateway-status.ts';
export type { HostReport } from './gateway/hosts-of-home.ts';
export type { StartedGateway } from './gateway/start-hosts.ts';
export type { BroughtBack } from './life/bring-back.ts';
export type { FleetMember, FleetRegistration, FleetReport } from './life/fleet-membership.ts';
export type { JoinOptions, JoinReport } from './life/join.ts';
export type { LaunchReport } from './life/launch.ts';
export type { LaunchOptions } from './life/launch-draft.ts';
export type { StopOptions } from './life/stop.ts';
export { type SessionEnd, type StopReport, stopAnswer } from './life/stop-report.ts';
export { findWayInto, go, lineOf, wayInWords } from './open-session.ts';
export { readToken } from './records/gateway-token.ts';
export { whyDown } from './records/keeper.ts';
export { type GatewayLife, probeGateway, type RecordedGateway } from './records/live-gateway.ts';
export { type ManifestFacts, readManifestFacts } from './records/manifest-facts.ts';
export { agentsDirectory } from './records/registry-read.ts';
export { seenFromOutside } from './records/seen-from-outside.ts';
export { type SessionPaths, sessionPaths } from './records/session-paths.ts';
export type { SessionContext, SessionSettings } from './session-context.ts';
export { lookAtAgent, type ShownAgent, showAgent } from './show.ts';
export { findAddress, hasAgent, type KnownAddress, nearAddress } from './target/address-book.ts';
export { findEnded } from './target/find-ended.ts';
export { type AgentList, type ListedAgent, listAgents } from './target/list.ts';
export { type FleetTarget, type LocalTarget, requireLocal, type Target } from './target/resolve-target.ts';
export {
  absentStanding,
  type Roster,
  type RosterAgent,
  type RosterPlace,
  roster,
  rosterFiles,
  seenAgent,
} from './target/roster.ts';
export type { SelectorFlags } from './target/selector.ts';
export { findTarget, isInsideTmux } from './target/target-world.ts';
export type { Whereabouts } from './target/whereabouts.ts';
export { whyNotWoken } from './target/why-not-woken.ts';

export async function launch(context: SessionContext, options: LaunchOptions): Promise<LaunchReport> {
  return (await import('./life/launch.ts')).launch(context, options);
}

export async function join(context: SessionContext, options: JoinOptions): Promise<JoinReport> {
  return (await import('./life/join.ts')).join(context, options);
}

export async function stop(
  context: SessionContext,
  facts: ManifestFacts,
  options: StopOptions = {},
): Promise<StopReport> {
  return (await import('./life/stop.ts')).stop(context, facts, options);
}

/** Gives a joined session back to whoever started it. */
export async function leave(context: SessionContext, facts: ManifestFacts): Promise<StopReport> {
  return (await import('./life/stop.ts')).leave(context, facts);
}

/** Starts the tool again, and nothing else; see bringBack. */
export async function relaunch(
  context: SessionContext,
  facts: ManifestFacts,
  options: RelaunchOptions = {},
): Promise<RelaunchReport> {
  return (await import('./life/relaunch.ts')).relaunch(context, facts, options);
}

/** Starts the tool again; the gateway it had comes back with it. */
export async function bringBack(
  context: SessionContext,
  facts: ManifestFacts,
  options: BringBackOptions,
): Promise<BroughtBack> {
  return (await import('./life/bring-back.ts')).bringBack(context, facts, options);
}

/** Whether an agent of this name runs here, or did until its tmux server ended. */
export async function whereabouts(context: SessionContext, agentName: string): Promise<Whereabouts> {
  return (await import('./target/whereabouts.ts')).whereabouts(context, agentName);
}

export async function attach(
  context: SessionContext,
  target: Target,
  options: AttachOptions,
): Promise<AttachReport> {
  return (await import('./gateway/gateway-actions.ts')).attach(context, target, options);
}

export async function detach(context: SessionContext, target: Target): Promise<DetachReport> {
  return (await import('./gateway/gateway-actions.ts')).detach(context, target);
}

/** Types into an agent that has no gateway, through the same lane and under the same lock. */
export async function controlDirectly(
  context: SessionContext,
  facts: ManifestFacts,
  act: DirectAct,
): Promise<DeliveryResult> {
  return (await import('./direct-control.ts')).controlDirectly(context, facts, act);
}

/** What the agent's terminal shows now, from outside, for an agent that no gateway watches; undefined when it is gone. */
export async function seeTerminal(
  context: SessionContext,
  facts: ManifestFacts,
): Promise<ScreenPicture | undefined> {
  return (await import('./see-terminal.ts')).seeTerminal(context, facts);
}

/** Agents that a fleet server owns: launching, listing, stopping them there. */
export function fleetActions(): Promise<typeof import('./for-servers/fleet-actions.ts')> {
  return import('./for-servers/fleet-actions.ts');
}

/** The hosts of gateways of this home. */
export async function hostsOfHome(context: SessionContext): Promise<HostReport[]> {
  return (await import('./gateway/hosts-of-home.ts')).hostsOfHome(context);
}

/** Brings back every gateway that should run and does not, and the host before. */
export async function startHosts(context: SessionContext): Promise<StartedGateway[]> {
  return (await import('./gateway/start-hosts.ts')).startHosts(context);
}

/** The agents whose gateway should run, and nothing starts it again. */
export async function lostGateways(context: SessionContext): Promise<string[]> {
  return (await import('./gateway/start-hosts.ts')).lostGateways(context);
}

export async function stopHosts(context: SessionContext): Promise<HostReport[]> {
  return (await import('./gateway/hosts-of-home.ts')).stopHosts(context);
}

/** For a server that owns sessions of this host itself. */
export function forServers(): Promise<typeof import('./for-servers/for-servers.ts')> {
  return import('./for-servers/for-servers.ts');
}

/** The agents that are on record, as quickly as that can be told: whether they live is not looked at. */
export function knownAgents(
  registryDir: string,
  clock: Clock,
): { agentName: string; tool: string; manifestPath: string }[] {
  return readRegistry(registryDir, clock.now().getTime()).fresh.map((record) => ({
    agentName: record.agent_name,
    tool: record.identity.tool,
    manifestPath: record.runtime.manifest_path,
  }));
}

/** What surrounds sessions: tmux, tools and their versions, records that lead nowhere. */
export function examinations(): Promise<typeof import('./examine.ts')> {
  return import('./examine.ts');
}

/** The mail skills of a tool: which are there, and installing them. */
export function skills(): Promise<typeof import('./equip/skills.ts')> {
  return import('./equip/skills.ts');
}

/** The agent's mail binding: status, register, unregister, resolve. */
export function agentMail(): Promise<typeof import('./agent-mail.ts')> {
  return import('./agent-mail.ts');
}

/** Registers a session that runs already with a fleet server. */
export async function registerWithFleet(fleet: FleetRegistration, member: FleetMember): Promise<FleetReport> {
  return (await import('./life/fleet-membership.ts')).registerWithFleet(fleet, member);
}

/** Our MCP server in a tool's configuration. */
export async function mcpConfig(): Promise<
  typeof import('./equip/mcp-config-file.ts') & typeof import('./equip/mcp-entry.ts')
> {
  return { ...(await import('./equip/mcp-config-file.ts')), ...(await import('./equip/mcp-entry.ts')) };
}
