/**
 * Session: one agent in its tmux session, from outside. Launch, join, list, show, stop, relaunch; and the life of
 * its gateway: attach, status, detach.
 *
 * Promises  manifest.json is the one authority, written whole and under a lock; everything else is derived from it.
 *           A gateway is called live only when the recorded process runs and answers as itself.
 *           Window 0 is never closed. A signal goes only to a process whose start time is the recorded one.
 *           A pointer that leads elsewhere is refused; nobody guesses another agent, server or pane.
 *           Credentials stand in no argument, no tmux variable and no file that others can read.
 * Never     Types into an agent but through the lane of terminal/, edits a tool's own configuration (the mail skills it adds
 *           are files of their own, with a mark beside them), starts a gateway nobody asked for.
 * Errors    RouseErrors whose `facts.cause` a program can read: port_in_use, session_lost, stale_pointer, …
 *
 * Loading this file is quick: what needs schemas or a database is loaded when it is called.
 */
import type { AttachReport } from './attach.ts';
import type { AttachOptions } from './attach-plan.ts';
import type { DetachReport } from './detach.ts';
import type { DeliveryResult, DirectAct } from './direct-control.ts';
import type { FleetMember, FleetRegistration, FleetReport } from './fleet-membership.ts';
import type { JoinOptions, JoinReport } from './join.ts';
import type { LaunchReport } from './launch.ts';
import type { LaunchOptions } from './launch-draft.ts';
import type { ManifestFacts } from './manifest-facts.ts';
import type { RelaunchReport } from './relaunch.ts';
import type { Target } from './resolve-target.ts';
import type { SessionContext } from './session-context.ts';
import type { StopOptions } from './stop.ts';
import type { StopReport } from './stop-report.ts';

export type { RegisterMailbox } from './agent-mail.ts';
export type { AttachReport } from './attach.ts';
export type { AttachOptions } from './attach-plan.ts';
export type { DetachReport } from './detach.ts';
export type { DeliveryResult, DirectAct } from './direct-control.ts';
export { findEnded } from './find-ended.ts';
export type { FleetMember, FleetRegistration, FleetReport } from './fleet-membership.ts';
export { changesInWords, type GatewayChange } from './gateway-changes.ts';
export { type GatewayReport, gatewayStatus, localStatus } from './gateway-status.ts';
export { readToken } from './gateway-token.ts';
export type { JoinOptions, JoinReport } from './join.ts';
export { whyDown } from './keeper.ts';
export type { LaunchReport } from './launch.ts';
export type { LaunchOptions } from './launch-draft.ts';
export { type AgentList, type ListedAgent, listAgents } from './list.ts';
export { type GatewayLife, probeGateway, type RecordedGateway } from './live-gateway.ts';
export { type ManifestFacts, readManifestFacts } from './manifest-facts.ts';
export type { Handover } from './pair-handover.ts';
export { packageRoot } from './program-path.ts';
export type { RelaunchReport } from './relaunch.ts';
export { type LocalTarget, type PairTarget, requireLocal, type Target } from './resolve-target.ts';
export type { SelectorFlags } from './selector.ts';
export type { SessionContext, SessionSettings } from './session-context.ts';
export { type SessionPaths, sessionPaths } from './session-paths.ts';
export { showAgent } from './show.ts';
export type { SkillInstallation, SkillsAtLaunch } from './skills.ts';
export type { StopOptions } from './stop.ts';
export { type SessionEnd, type StopReport, stopAnswer } from './stop-report.ts';
export { findTarget, isInsideTmux } from './target-world.ts';

export async function launch(context: SessionContext, options: LaunchOptions): Promise<LaunchReport> {
  return (await import('./launch.ts')).launch(context, options);
}

export async function join(context: SessionContext, options: JoinOptions): Promise<JoinReport> {
  return (await import('./join.ts')).join(context, options);
}

export async function stop(
  context: SessionContext,
  facts: ManifestFacts,
  options: StopOptions = {},
): Promise<StopReport> {
  return (await import('./stop.ts')).stop(context, facts, options);
}

/** Gives a joined session back to whoever started it. */
export async function leave(context: SessionContext, facts: ManifestFacts): Promise<StopReport> {
  return (await import('./stop.ts')).leave(context, facts);
}

export async function relaunch(context: SessionContext, facts: ManifestFacts): Promise<RelaunchReport> {
  return (await import('./relaunch.ts')).relaunch(context, facts);
}

export async function attach(
  context: SessionContext,
  target: Target,
  options: AttachOptions,
): Promise<AttachReport> {
  return (await import('./gateway-actions.ts')).attach(context, target, options);
}

export async function detach(context: SessionContext, target: Target): Promise<DetachReport> {
  return (await import('./gateway-actions.ts')).detach(context, target);
}

/** Types into an agent that has no gateway, through the same lane and under the same lock. */
export async function controlDirectly(
  context: SessionContext,
  facts: ManifestFacts,
  act: DirectAct,
): Promise<DeliveryResult> {
  return (await import('./direct-control.ts')).controlDirectly(context, facts, act);
}

/** Agents that a pair server owns: launching, listing, stopping them there. */
export function pairActions(): Promise<typeof import('./pair-actions.ts')> {
  return import('./pair-actions.ts');
}

/** For a server that owns sessions of this host itself. */
export function forServers(): Promise<typeof import('./for-servers.ts')> {
  return import('./for-servers.ts');
}

/** The mail skills of a tool: which are there, and installing them. */
export function skills(): Promise<typeof import('./skills.ts')> {
  return import('./skills.ts');
}

/** The agent's mail binding: status, register, unregister, resolve. */
export function agentMail(): Promise<typeof import('./agent-mail.ts')> {
  return import('./agent-mail.ts');
}

/** Registers a session that runs already with a fleet server. */
export async function registerWithFleet(fleet: FleetRegistration, member: FleetMember): Promise<FleetReport> {
  return (await import('./fleet-membership.ts')).registerWithFleet(fleet, member);
}

/** Our MCP server in a tool's configuration. */
export async function mcpConfig(): Promise<
  typeof import('./mcp-config-file.ts') & typeof import('./mcp-entry.ts')
> {
  return { ...(await import('./mcp-config-file.ts')), ...(await import('./mcp-entry.ts')) };
}
