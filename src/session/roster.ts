import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { commandLine, compareText, messageOf, type ProcessIdentity } from '../base/index.ts';
import {
  type AgentNeed,
  type AgentPause,
  type AgentState,
  describeStanding,
  enableCommand,
  hostNameOf,
  isHeadless,
  needsOf,
  OPERATOR,
  type Project,
  type Standing,
  type StandingCode,
} from '../domain/index.ts';
import { countInbox, inboxDirectory } from '../mail/inbox-count.ts';
import { BACKEND } from '../wire/houmao/index.ts';
import type { GlanceFile, MailboxBinding, RegistryRecord } from '../wire/index.ts';
import { type NamedAgent, spokenNames } from './called.ts';
import { findTool } from './equip/programs.ts';
import { pauseOf } from './gateway/pause.ts';
import { lostRecords, ownSessions } from './live-sessions.ts';
import { type ManifestFacts, mailboxOf, section, tryManifestFacts } from './records/manifest-facts.ts';
import { branchOf, projectOf } from './records/project.ts';
import { agentsDirectory, readRecord, readRegistry } from './records/registry-read.ts';
import { type SessionPaths, serverOf, sessionPaths } from './records/session-paths.ts';
import {
  readGlance,
  readUndelivered,
  seenFromOutside,
  type Unreported,
  unreported,
} from './records/standing-from-files.ts';
import type { SessionContext } from './session-context.ts';
import { type ServerSession, tmuxOf } from './session-tmux.ts';

/** One agent of this host as lists show it. */
export interface RosterAgent {
  /** Unique on this host. */
  name: string;
  /** Its name in its project. */
  short_name: string;
  /** How to name it from here; see spokenNames. */
  called: string;
  /** Null if its manifest cannot be read. */
  project: Project | null;
  directory: string | null;
  branch: string | null;
  id: string;
  tool: string;
  host: string;
  /** As its gateway reports it. `not_watched`: its tool runs without a gateway. */
  state: Exclude<AgentState, 'elsewhere'>;
  since: string | null;
  /** Why, in a few words. */
  reason: string;
  /** What a person has to do; null if no one is needed. */
  needs_you: string | null;
  /** What a person is needed for, or what people want to know. */
  needs: AgentNeed[];
  open_mail: number | null;
  wakes: Pick<GlanceFile['wakes'], 'on' | 'count' | 'last_at_utc' | 'turned_off' | 'former'> | null;
  /** What its open mail or its requests wait for, as the gateway reports it. */
  waiting_for: string | null;
  /** Queued requests; null if no gateway counts them. */
  queue_depth: number | null;
  gateway: Unreported['gateway'];
  /** A person's pause of the agent. */
  paused: AgentPause | null;
  origin: 'launched' | 'joined' | 'server';
}

export interface Roster {
  agents: RosterAgent[];
  /** Open mail of the person behind the agents; null if the home has no mail store. */
  mail_for_you: number | null;
  /** Registry files that are not records. They are skipped and named. */
  malformed_records: string[];
  /** tmux servers that could not be asked, with their errors. */
  troubles: string[];
  /** Gateways, and tools without one. When one of them ends, no file changes. */
  processes: ProcessIdentity[];
  /** By agent id, for views that show more than a list. */
  known: ReadonlyMap<string, RosterPlace>;
}

/** Before the first look. */
export const NO_ROSTER: Roster = {
  agents: [],
  mail_for_you: null,
  malformed_records: [],
  troubles: [],
  processes: [],
  known: new Map(),
};

/** Where the files of an agent are. */
export interface RosterPlace {
  /** Undefined if its manifest cannot be read. */
  facts: ManifestFacts | undefined;
  mailbox: Record<string, unknown> | undefined;
  /** Describes the same agent again from its current files, without asking its tmux session again. */
  again: () => RosterAgent;
  /** The gateway's report that was last described; undefined without one. */
  glance: () => GlanceFile | undefined;
}

/** Every agent of this host, from files and one request per tmux server. Changes nothing and asks no gateway. */
export async function roster(context: SessionContext): Promise<Roster> {
  const { registryDir, tmuxSocket } = context.settings;
  const view = readRegistry(registryDir, context.clock.now().getTime());
  const records = [...view.fresh, ...view.expired];
  const sockets = records.map(({ terminal }) => ({ tmuxSocket: terminal.socket }));
  const asked = askServers(context, sockets.length > 0 ? sockets : [{ tmuxSocket }]);
  // Read the files while tmux responds.
  const known = records.map((record) => recordedEntry(record));
  const { servers, troubles } = await asked;
  const entries = [...known, ...unrecorded(known, servers)];
  const sessions = new Map(entries.map((entry) => [entry, sessionOf(entry, servers, context.env)]));
  const expected = new Set([...view.fresh, ...lostRecords(view)].map(({ agent_id }) => agent_id));
  const shown = entries.filter((entry) => sessions.get(entry) || expected.has(entry.id));
  const host = hostNameOf(context.env['ROUSE_HOST_NAME'], os.hostname());
  const called = spokenNames(shown.map(namesOf), context.here);
  for (const [at, entry] of shown.entries()) entry.called = called[at]!;
  const agents = shown.map((entry) => ({ ...describe(entry, sessions.get(entry)), host }));
  agents.sort((a, b) => compareText(a.name, b.name) || compareText(a.id, b.id));
  const processes = entries.flatMap((entry) => processesOf(entry, sessions.get(entry)));
  const places = shown.map((entry): [string, RosterPlace] => [
    entry.id,
    rosterPlaceOf(entry, (read) => ({ ...describe(read, sessions.get(entry)), host })),
  ]);
  return {
    agents,
    mail_for_you: countInbox(operatorMailbox(context)),
    malformed_records: view.malformed,
    troubles,
    processes,
    known: new Map(places),
  };
}

function rosterPlaceOf(entry: Entry, show: (entry: Entry) => RosterAgent): RosterPlace {
  let { glance } = entry;
  return {
    facts: entry.facts,
    mailbox: entry.record?.mailbox ?? mailboxOf(entry.facts),
    again: () => {
      const files = filesOf(entry.facts);
      glance = files.glance;
      return show({ ...entry, ...files });
    },
    glance: () => glance,
  };
}

/** One agent as lists show it, from its files and one request to its tmux server. */
export async function seenAgent(
  context: SessionContext,
  facts: ManifestFacts,
): Promise<Omit<RosterAgent, 'host'>> {
  const entry = unrecordedEntry(facts);
  return describe(entry, await askedSession(context, entry, facts));
}

/**
 * The standing of an agent whose gateway does not answer, as in lists; undefined if no one is needed and it is not paused.
 */
export async function absentStanding(
  context: SessionContext,
  facts: ManifestFacts,
): Promise<Standing | undefined> {
  const entry = unrecordedEntry(facts);
  const { standing } = observedState(entry, await askedSession(context, entry, facts));
  const paused = entry.paths && pauseOf(entry.paths, context.clock.now().getTime());
  if (standing.needs_you === null && !paused) return undefined;
  return { ...standing, ...(paused && { paused }) };
}

async function askedSession(context: SessionContext, entry: Entry, facts: ManifestFacts): Promise<Session> {
  const { servers } = await askServers(context, [facts]);
  return sessionOf(entry, servers, context.env);
}

const operatorMailbox = ({ settings }: SessionContext): Partial<MailboxBinding> => ({
  transport: 'filesystem',
  address: OPERATOR.address,
  filesystem_root: settings.mailboxDir,
});

interface Entry {
  name: string;
  /** How it is called from here. */
  called: string;
  id: string;
  tool: string;
  record: RegistryRecord | undefined;
  facts: ManifestFacts | undefined;
  paths: SessionPaths | undefined;
  /** What its gateway last wrote, if that gateway runs. */
  glance: GlanceFile | undefined;
  undelivered: AgentNeed[];
}

function recordedEntry(record: RegistryRecord): Entry {
  const facts = tryManifestFacts(record.runtime.manifest_path);
  const { agent_name: name, agent_id: id, identity } = record;
  return { name, called: name, id, tool: identity.tool, record, facts, ...filesOf(facts) };
}

function filesOf(facts: ManifestFacts | undefined): Pick<Entry, 'paths' | 'glance' | 'undelivered'> {
  const paths = facts && sessionPaths(facts.root);
  return {
    paths,
    glance: paths && readGlance(paths),
    undelivered: paths ? readUndelivered(paths) : [],
  };
}

/** Undefined if the session is gone. */
type Session = ServerSession | 'unknown' | undefined;
type Servers = Map<string, ServerSession[] | 'unknown'>;

/** An unreachable server hides no agent: its agents are shown from their files. */
async function askServers(
  context: SessionContext,
  places: { tmuxSocket?: string | null | undefined }[],
): Promise<{ servers: Servers; troubles: string[] }> {
  const servers: Servers = new Map();
  const troubles: string[] = [];
  const named = new Map(places.map((place) => [serverOf(place, context.env), place]));
  await Promise.all(
    [...named].map(async ([server, place]) => {
      try {
        servers.set(server, await tmuxOf(context, place).sessions());
      } catch (error) {
        servers.set(server, 'unknown');
        troubles.push(`the tmux server at ${server} cannot be asked: ${messageOf(error)}`);
      }
    }),
  );
  return { servers, troubles };
}

/** Sessions that point at a manifest without a registry record. */
function unrecorded(known: Entry[], servers: Servers): Entry[] {
  const paths = new Set(known.flatMap(({ record }) => (record ? [record.runtime.manifest_path] : [])));
  const sessions = [...servers.values()].flatMap((each) => (each === 'unknown' ? [] : each));
  const pointed = sessions.flatMap(({ manifestPath, places }) => [
    ...(manifestPath === undefined ? [] : [manifestPath]),
    ...places.map((place) => place.manifestPath),
  ]);
  return [...new Set(pointed)]
    .filter((file) => !paths.has(file))
    .flatMap((file) => tryManifestFacts(file) ?? [])
    .map(unrecordedEntry);
}

function unrecordedEntry(facts: ManifestFacts): Entry {
  const { agentName: name, agentId: id, tool } = facts;
  return { name, called: name, id, tool, record: undefined, facts, ...filesOf(facts) };
}

function namesOf({ name, facts }: Entry): NamedAgent {
  return { agentName: name, shortName: facts?.shortName ?? name, project: facts && projectOf(facts) };
}

function sessionOf({ record, facts }: Entry, servers: Servers, env: NodeJS.ProcessEnv): Session {
  const recorded = facts ?? {
    path: record!.runtime.manifest_path,
    tmuxSessionName: record!.terminal.session_name,
    tmuxSocket: record!.terminal.socket ?? undefined,
  };
  const sessions = servers.get(serverOf(recorded, env)) ?? [];
  if (sessions === 'unknown') return 'unknown';
  const [name, another] = ownSessions(recorded, sessions, env);
  const found = another === undefined ? sessions.find((session) => session.name === name) : undefined;
  const place = found?.places.find(({ manifestPath }) => manifestPath === recorded.path);
  return found && place ? { ...found, panePid: place.panePid } : found;
}

function processesOf({ glance }: Entry, session: Session): ProcessIdentity[] {
  if (glance?.written_by) return [glance.written_by];
  const pid = session === 'unknown' ? undefined : session?.panePid;
  return pid === undefined ? [] : [{ pid, startTicks: null, bootId: null }];
}

function describe(entry: Entry, session: Session): Omit<RosterAgent, 'host'> {
  const { name, called, id, tool, record, facts, paths, glance, undelivered } = entry;
  const { shortName, project = null } = namesOf(entry);
  const { state, since, standing, gateway } = observedState(entry, session);
  const counted = countInbox(record?.mailbox ?? mailboxOf(facts));
  return {
    ...{ name, short_name: shortName, called, project, ...placeOf(facts), id, tool, state, since },
    ...{ reason: standing.words, needs_you: standing.needs_you },
    needs: [...needsOf(standing, since), ...undelivered],
    open_mail: counted ?? glance?.open_mail ?? null,
    wakes: glance ? wakesOf(glance) : null,
    waiting_for: glance ? waitingFor(glance) : null,
    queue_depth: glance?.queue_depth ?? null,
    gateway,
    paused: (paths && pauseOf(paths, Date.now())) ?? null,
    origin: facts?.joined ? 'joined' : facts?.backend === BACKEND.server ? 'server' : 'launched',
  };
}

function placeOf(facts: ManifestFacts | undefined): Pick<RosterAgent, 'directory' | 'branch'> {
  if (!facts) return { directory: null, branch: null };
  return { directory: facts.workingDirectory, branch: branchOf(facts.workingDirectory) };
}

interface ObservedState extends Pick<RosterAgent, 'state' | 'since' | 'gateway'> {
  standing: Standing;
}

/** As its gateway reports it; without a report, from the missing gateway and the tool's process. */
function observedState(entry: Entry, session: Session): ObservedState {
  const { called: name, tool, paths, glance } = entry;
  const silent = paths && !glance ? unreported(paths, name) : undefined;
  const gateway = silent?.gateway ?? (glance ? 'live' : 'not_attached');
  const observedAs = (code: StandingCode, state: RosterAgent['state']): ObservedState => {
    const standing = describeStanding({ code }, { agent: name, tool });
    return { state, since: null, standing, gateway };
  };
  if (!session) return observedAs('session_gone', 'gone');
  if (paths && glance) return { ...reported(glance, paths, entry), gateway };
  const asked = silent && silent.standing.needs_you !== null;
  if (gateway === 'restarting' && !asked) return observedAs('gateway_starting', 'starting');
  const watched = gateway === 'live' || session === 'unknown';
  if (!watched && isToolGone(entry, session.panePid)) return observedAs('tool_gone', 'gone');
  if (asked) return { state: 'needs_you', since: silent.since, standing: silent.standing, gateway };
  return observedAs(session === 'unknown' ? 'not_looked_at' : 'gateway_not_attached', 'not_watched');
}

function reported(
  { standing: last, since_utc }: GlanceFile,
  paths: SessionPaths,
  { called: name, record, facts }: Entry,
): Omit<ObservedState, 'gateway'> {
  const mailbox = record?.mailbox ?? mailboxOf(facts);
  const standing = seenFromOutside(last, paths, { agentName: name, mailbox });
  const state = standing.state === 'unknown' ? 'starting' : standing.state;
  return { state, since: standing.state === last.state ? since_utc : null, standing };
}

/** A headless agent has no process of its tool between two turns. */
function isToolGone({ facts, tool }: Entry, panePid: number | undefined): boolean {
  if (!facts || isHeadless(facts.backend)) return false;
  const ours = section(section(section(facts.document, 'launch_plan'), 'metadata'), 'rouse');
  const names = Array.isArray(ours['process_names']) ? (ours['process_names'] as string[]) : [tool];
  return panePid === undefined || findTool(panePid, names) === undefined;
}

function wakesOf({ wakes }: GlanceFile): RosterAgent['wakes'] {
  const { on, count, last_at_utc, turned_off, former } = wakes;
  return { on, count, last_at_utc, ...(turned_off && { turned_off, ...(former && { former }) }) };
}

/** Mail that is held back, or queued requests. */
function waitingFor({ wakes, queue_depth }: GlanceFile): string | null {
  if (wakes.held_back !== null) return wakes.held_back;
  if (queue_depth === 0) return null;
  return queue_depth === 1 ? '1 request queued' : `${queue_depth} requests queued`;
}

/** The directories that change when the roster does. Directories that do not exist are left out. */
export function rosterFiles(context: SessionContext): string[] {
  const { registryDir } = context.settings;
  const view = readRegistry(registryDir, context.clock.now().getTime());
  const own = view.fresh.flatMap(({ runtime, mailbox }) => {
    const { gateway, run } = sessionPaths(path.dirname(runtime.manifest_path));
    return [gateway, run, inboxDirectory(mailbox) ?? []].flat();
  });
  const mine = inboxDirectory(operatorMailbox(context)) ?? [];
  return [agentsDirectory(registryDir), ...own, mine].flat().filter((directory) => fs.existsSync(directory));
}

export interface NotWoken {
  /** With the command that changes it. */
  why: string;
  /** It is woken once a person has done what it asks for. */
  later: boolean;
}

/** An agent in these standings needs a person, and is woken all the same. */
const WOKEN_ALL_THE_SAME = (['mail_loop', 'tools_elsewhere'] as const).map(
  (code) => describeStanding({ code }, {}).words,
);

/** Why mail does not wake this agent of this host now, unless it is only busy; undefined if mail does. */
export async function whyNotWoken(context: SessionContext, agentId: string): Promise<NotWoken | undefined> {
  const record = readRecord(context.settings.registryDir, agentId);
  if (record === undefined || record === 'malformed') return undefined;
  const facts = tryManifestFacts(record.runtime.manifest_path);
  if (!facts) return undefined;
  const { state, reason, needs_you, needs, gateway, wakes, paused } = await seenAgent(context, facts);
  const never = (why: string): NotWoken => ({ why, later: false });
  const isCutOff = state === 'gone' || needs[0]?.kind === 'gateway_dead';
  if (isCutOff && needs_you !== null) return never(needs_you);
  const { agentName: name } = facts;
  if (paused) return never(`it is paused; "${commandLine`rouse resume ${name}`}" ends that`);
  if (gateway === 'restarting') return undefined;
  if (gateway !== 'live')
    return never(`it has no gateway; "${commandLine`rouse agents gateway attach ${name}`}" attaches one`);
  if (wakes?.on === false) {
    const former = wakes.former ?? { interval_seconds: null };
    return never(`its wakes are off; "${enableCommand(name, former)}" turns them on`);
  }
  const isHeld = state === 'needs_you' && !WOKEN_ALL_THE_SAME.includes(reason);
  return isHeld && needs_you !== null ? { why: needs_you, later: true } : undefined;
}
