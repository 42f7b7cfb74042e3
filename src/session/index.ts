/**
 * Session: one agent in its tmux session, seen from outside. Launch, join, list, show, stop, relaunch; and its gateway:
 * attach, status, detach.
 *
 * Promises  manifest.json is the one authority, written whole and under a lock. Everything else is derived from it.
 *           A gateway counts as live only if the recorded process runs and responds with its own id.
 *           Window 0 is never closed. Only a process with the recorded start time is signalled.
 *           A pointer that leads elsewhere is refused. Another agent, server or pane is never guessed.
 *           Credentials are in no argument, no tmux variable and no file that others can read.
 * Never     Types into an agent except through the lane of terminal/. Edits a tool's own configuration unless a join
 *           requests it (the mail skills are files of their own, with a stamp beside them). Starts a gateway that was
 *           not requested.
 * Errors    RouseErrors whose `facts.cause` programs can read: port_in_use, session_lost, stale_pointer, …
 *
 * Importing this file is quick: what needs schemas or a database is loaded when it is called.
 */
import type { Clock } from '../base/index.ts';
import { knownAgent, type NamedAgent } from './called.ts';
import { readRegistry } from './records/registry-read.ts';

export type { AllMail } from './all-mail/all-mail.ts';
export { nameOnMachine, spokenNames } from './called.ts';
export type { DaySpan } from './day/day-span.ts';
export type { DayParts } from './day/gather-day.ts';
export type { DeliveryResult, DirectAct } from './direct-control.ts';
export { packageRoot } from './equip/programs.ts';
export type { SkillInstallation, SkillsAtLaunch, SkillTarget } from './equip/skills.ts';
export {
  findTarget,
  isInsideTmux,
  type LocalTarget,
  onMachine,
  requireLocal,
  type SelectorFlags,
  type Target,
} from './find.ts';
export type { FleetMember, FleetRegistration, FleetReport, FleetTarget } from './fleet.ts';
export type { Handover } from './fleet-actions.ts';
export type { AttachReport } from './gateway/attach.ts';
export { type AttachOptions, changesInWords, type GatewayChange } from './gateway/attach-plan.ts';
export type { DetachReport } from './gateway/detach.ts';
export { type GatewayReport, gatewayStatus, localStatus } from './gateway/gateway-status.ts';
export type { HostReport, StartedGateway } from './gateway/hosts.ts';
export { pauseOf, pauseOffline, resumeOffline } from './gateway/pause.ts';
export type { HostMail, MailAgents } from './host-mail.ts';
export type { AfterStop, BackAfterStop } from './life/after-stop.ts';
export type { JoinOptions, JoinReport } from './life/join.ts';
export type { LaunchReport } from './life/launch.ts';
export type { LaunchOptions } from './life/prepare-launch.ts';
export type { BroughtBack } from './life/relaunch.ts';
export type { StopOptions } from './life/stop.ts';
export { type SessionEnd, type StopReport, stopAnswer } from './life/stop-report.ts';
export {
  type AgentList,
  addressMeant,
  findAddress,
  hasAgent,
  type KnownAddress,
  type ListedAgent,
  listAgents,
  namesByAddress,
  nearAddress,
} from './list.ts';
export { findEnded, isMember, type Whereabouts, whereabouts } from './live-sessions.ts';
export type { RegisterMailbox } from './mailbox.ts';
export { type GatewayLife, probeGateway, type RecordedGateway, whyDown } from './records/live-gateway.ts';
export { type ManifestFacts, mailboxOf, readManifestFacts } from './records/manifest-facts.ts';
export { branchOf, findProject, projectOf } from './records/project.ts';
export { agentsDirectory } from './records/registry-read.ts';
export { readToken, type SessionPaths, sessionPaths } from './records/session-paths.ts';
export { comesBack, seenFromOutside } from './records/standing-from-files.ts';
export {
  absentStanding,
  NO_ROSTER,
  type Roster,
  type RosterAgent,
  type RosterPlace,
  roster,
  rosterFiles,
  seenAgent,
  whyNotWoken,
} from './roster.ts';
export { isUnseen, RosterFollower, waitedFor } from './roster-follower.ts';
export { manifestHere } from './session-agents.ts';
export type { SessionContext, SessionSettings } from './session-context.ts';
export { findWayInto, go, lineOf, lookAtAgent, type ShownAgent, showAgent, wayInWords } from './show.ts';

/** An action whose module is loaded at the first call. */
function onCall<A extends unknown[], R>(
  load: () => Promise<(...args: A) => Promise<R> | R>,
): (...args: A) => Promise<R> {
  return async (...args) => (await load())(...args);
}

export const launch = onCall(async () => (await import('./life/launch.ts')).launch);
export const join = onCall(async () => (await import('./life/join.ts')).join);
export const stop = onCall(async () => (await import('./life/stop.ts')).stop);
/** Returns a joined session to the person who started it. */
export const leave = onCall(async () => (await import('./life/stop.ts')).leave);
/** Starts the tool again, and nothing else; see bringBack. */
export const relaunch = onCall(async () => (await import('./life/relaunch.ts')).relaunch);
/** Starts the tool again, and its gateway with it. */
export const bringBack = onCall(async () => (await import('./life/relaunch.ts')).bringBack);

/** How a launch continues after its agent was stopped. */
export const afterStop = onCall(async () => (await import('./life/after-stop.ts')).afterStop);
export const stoppedCalled = onCall(async () => (await import('./life/after-stop.ts')).stoppedCalled);
export const bringBackStopped = onCall(async () => (await import('./life/after-stop.ts')).bringBackStopped);

export const attach = onCall(async () => (await import('./gateway/attach.ts')).attach);
export const detach = onCall(async () => (await import('./gateway/detach.ts')).detach);

/** Types into an agent without a gateway, through the same lane and under the same lock. */
export const controlDirectly = onCall(async () => (await import('./direct-control.ts')).controlDirectly);
export const watchDirectly = onCall(async () => (await import('./direct-control.ts')).watchDirectly);
/** The screen of an agent without a gateway; undefined if the terminal is gone. */
export const seeTerminal = onCall(async () => (await import('./direct-control.ts')).seeTerminal);

/** The gateway hosts of this home. */
export const hostsOfHome = onCall(async () => (await import('./gateway/hosts.ts')).hostsOfHome);
/** Starts every gateway that should run but does not, and its host first. */
export const startHosts = onCall(async () => (await import('./gateway/hosts.ts')).startHosts);
export const stopHosts = onCall(async () => (await import('./gateway/hosts.ts')).stopHosts);
/** Starts the notices of this home in its host; a running host looks at the subscriptions again. */
export const startNotices = onCall(async () => (await import('./gateway/gateway-host.ts')).startNotices);
/** The agents whose gateway should run but will not be restarted. */
export const lostGateways = onCall(async () => (await import('./gateway/hosts.ts')).lostGateways);

/** Registers a running session with a fleet server. */
export { registerWithFleet } from './fleet.ts';

/** Agents that a fleet server owns: launch, list and stop them there, and what that server itself needs. */
export const fleetActions = () => import('./fleet-actions.ts');
/** What sessions depend on: tmux, tools and their versions, stale records. */
export const examinations = () => import('./examine.ts');
/** The mail skills of a tool: which are installed, and installing them. */
export const skills = () => import('./equip/skills.ts');
/** The agent's mail binding: status, register, unregister, resolve. */
export const agentMail = () => import('./mailbox.ts');
/** Every mailbox of this host. */
export const hostMail = async (...[parts]: ConstructorParameters<typeof import('./host-mail.ts').HostMail>) =>
  new (await import('./host-mail.ts')).HostMail(parts);
/** How far a message is with each recipient. */
export const receiptsOfEach = onCall(async () => (await import('./receipts.ts')).receiptsOfEach);

/** Whether these records have a proven wake for a message. */
export const announcedIn = async () => (await import('./receipts.ts')).announcedIn;
/** What agents did between two times. */
export const gatherDay = onCall(async () => (await import('./day/gather-day.ts')).gatherDay);
/** Our MCP server in a tool's configuration. */
export const mcpConfig = () => import('./equip/mcp.ts');

/** The agents on record, without checking whether they run. */
export function knownAgents(
  registryDir: string,
  clock: Clock,
): (NamedAgent & { tool: string; manifestPath: string })[] {
  return readRegistry(registryDir, clock.now().getTime()).fresh.map((record) => ({
    ...knownAgent(record),
    tool: record.identity.tool,
    manifestPath: record.runtime.manifest_path,
  }));
}
