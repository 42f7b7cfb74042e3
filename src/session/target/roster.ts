import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import {
  compareText,
  hostNameOf,
  isProcessAlive,
  messageOf,
  type ProcessIdentity,
} from '../../base/index.ts';
import { isHeadless, type Standing } from '../../domain/index.ts';
import { countInbox, inboxDirectory } from '../../mail/inbox-count.ts';
import type { GlanceFile, RegistryRecord } from '../../wire/index.ts';
import { findTool } from '../equip/find-tool.ts';
import { readGlance } from '../records/glance.ts';
import { readKeeper } from '../records/keeper.ts';
import { type ManifestFacts, section, tryManifestFacts } from '../records/manifest-facts.ts';
import { agentsDirectory, readRegistry } from '../records/registry-read.ts';
import { type SessionPaths, sessionPaths } from '../records/session-paths.ts';
import { serverOf } from '../records/tmux-socket.ts';
import type { SessionContext } from '../session-context.ts';
import { type ServerSession, tmuxOf } from '../session-tmux.ts';
import { ownSessions } from './live-sessions.ts';

/** One agent of this host as a list shows it. */
export interface RosterAgent {
  name: string;
  id: string;
  tool: string;
  host: string;
  /** Of a watched agent as its gateway says it; `not_watched`: its tool runs, and more nobody knows. */
  state: Exclude<Standing['state'], 'unknown'> | 'starting' | 'not_watched';
  since: string | null;
  /** Why, in a few words. */
  reason: string;
  /** What a person has to do; null while nobody is needed. */
  needs_you: string | null;
  open_mail: number | null;
  wakes: Pick<GlanceFile['wakes'], 'on' | 'count' | 'last_at_utc'> | null;
  /** What its open mail or its requests wait for, as the gateway says it. */
  waiting_for: string | null;
  gateway: 'live' | 'restarting' | 'down' | 'not_attached';
  origin: 'launched' | 'joined' | 'server';
}

export interface Roster {
  agents: RosterAgent[];
  /** Registry files that are not records. They are skipped and named. */
  malformed_records: string[];
  /** tmux servers that could not be asked, with what they said. */
  troubles: string[];
  /** The gateways, and the tools nobody watches: when one of them ends, no file changes. */
  processes: ProcessIdentity[];
  /** By id, for whoever shows more than a list. */
  known: ReadonlyMap<string, RosterPlace>;
}

/** Where the files of an agent are. */
export interface RosterPlace {
  /** Undefined when its manifest cannot be read. */
  facts: ManifestFacts | undefined;
  mailbox: Record<string, unknown> | undefined;
  /** The same agent as its files tell now; its tmux session is taken to be as it was. */
  again: () => RosterAgent;
}

/** Every agent of this host, from files and one question per tmux server. Changes nothing and asks no gateway. */
export async function roster(context: SessionContext): Promise<Roster> {
  const { registryDir, tmuxSocket } = context.settings;
  const view = readRegistry(registryDir, context.clock.now().getTime());
  const records = [...view.fresh, ...view.expired];
  const sockets = records.map(({ terminal }) => ({ tmuxSocket: terminal.socket }));
  const asked = askServers(context, sockets.length > 0 ? sockets : [{ tmuxSocket }]);
  // tmux answers while the files are read.
  const known = records.map((record) => recordedEntry(record));
  const { servers, troubles } = await asked;
  const entries = [...known, ...unrecorded(known, servers)];
  const sessions = new Map(entries.map((entry) => [entry, sessionOf(entry, servers, context.env)]));
  const fresh = new Set(view.fresh.map(({ agent_id }) => agent_id));
  // The lease of a session that is gone has run out: nobody asks for it any more.
  const shown = entries.filter((entry) => sessions.get(entry) || fresh.has(entry.id));
  const host = hostNameOf(context.env['ROUSE_HOST_NAME'], os.hostname());
  const agents = shown.map((entry) => ({ ...describe(entry, sessions.get(entry)), host }));
  agents.sort((a, b) => compareText(a.name, b.name) || compareText(a.id, b.id));
  const processes = entries.flatMap((entry) => processesOf(entry, sessions.get(entry)));
  const places = shown.map((entry): [string, RosterPlace] => [
    entry.id,
    {
      facts: entry.facts,
      mailbox: entry.record?.mailbox ?? mailboxOf(entry.facts),
      again: () => ({ ...describe({ ...entry, ...filesOf(entry.facts) }, sessions.get(entry)), host }),
    },
  ]);
  return { agents, malformed_records: view.malformed, troubles, processes, known: new Map(places) };
}

interface Entry {
  name: string;
  id: string;
  tool: string;
  record: RegistryRecord | undefined;
  facts: ManifestFacts | undefined;
  paths: SessionPaths | undefined;
  /** What its gateway last wrote, while that runs. */
  glance: GlanceFile | undefined;
}

function recordedEntry(record: RegistryRecord): Entry {
  const facts = tryManifestFacts(record.runtime.manifest_path);
  const { agent_name: name, agent_id: id, identity } = record;
  return { name, id, tool: identity.tool, record, facts, ...filesOf(facts) };
}

function filesOf(facts: ManifestFacts | undefined): Pick<Entry, 'paths' | 'glance'> {
  const paths = facts && sessionPaths(facts.root);
  return { paths, glance: paths && readGlance(paths) };
}

type Servers = Map<string, ServerSession[] | 'unknown'>;

/** One that cannot be asked hides no agent: what is known of them otherwise is shown. */
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

/** Sessions that point at a manifest of which the registry has no record. */
function unrecorded(known: Entry[], servers: Servers): Entry[] {
  const paths = new Set(known.flatMap(({ record }) => (record ? [record.runtime.manifest_path] : [])));
  const sessions = [...servers.values()].flatMap((each) => (each === 'unknown' ? [] : each));
  const pointed = sessions.flatMap(({ manifestPath, windows }) => [
    ...(manifestPath === undefined ? [] : [manifestPath]),
    ...windows.map((window) => window.manifestPath),
  ]);
  return [...new Set(pointed)]
    .filter((file) => !paths.has(file))
    .flatMap((file) => tryManifestFacts(file) ?? [])
    .map((facts) => ({
      name: facts.agentName,
      id: facts.agentId,
      tool: facts.tool,
      record: undefined,
      facts,
      ...filesOf(facts),
    }));
}

function sessionOf(
  { record, facts }: Entry,
  servers: Servers,
  env: NodeJS.ProcessEnv,
): ServerSession | 'unknown' | undefined {
  const recorded = facts ?? {
    path: record!.runtime.manifest_path,
    tmuxSessionName: record!.terminal.session_name,
    tmuxSocket: record!.terminal.socket ?? undefined,
  };
  const sessions = servers.get(serverOf(recorded, env)) ?? [];
  if (sessions === 'unknown') return 'unknown';
  const [name, another] = ownSessions(recorded, sessions, env);
  const found = another === undefined ? sessions.find((session) => session.name === name) : undefined;
  const window = found?.windows.find(({ manifestPath }) => manifestPath === recorded.path);
  return found && window ? { ...found, panePid: window.panePid } : found;
}

function processesOf({ glance }: Entry, session: ServerSession | 'unknown' | undefined): ProcessIdentity[] {
  if (glance?.written_by) return [glance.written_by];
  const pid = session === 'unknown' ? undefined : session?.panePid;
  return pid === undefined ? [] : [{ pid, startTicks: null, bootId: null }];
}

function describe(entry: Entry, session: ServerSession | 'unknown' | undefined): Omit<RosterAgent, 'host'> {
  const { name, id, tool, record, facts, paths, glance } = entry;
  const gateway = glance ? 'live' : keptGateway(paths);
  const seen = session ? (glance ? watched(glance) : unwatched(entry, session, gateway)) : SESSION_GONE;
  const counted = countInbox(record?.mailbox ?? mailboxOf(facts));
  return {
    ...{ name, id, tool },
    ...{ state: seen.state, since: seen.since, reason: seen.reason, needs_you: seen.needs_you },
    open_mail: counted ?? glance?.open_mail ?? null,
    wakes: glance ? wakesOf(glance) : null,
    waiting_for: glance ? waitingFor(glance) : null,
    gateway,
    origin: facts?.joined ? 'joined' : facts?.backend === 'houmao_server_rest' ? 'server' : 'launched',
  };
}

type Seen = Pick<RosterAgent, 'state' | 'since' | 'reason' | 'needs_you'>;

const SESSION_GONE: Seen = {
  state: 'gone',
  since: null,
  reason: 'session gone',
  needs_you: 'its tmux session is gone; "rouse agents relaunch" makes it again, "rouse stop" forgets it',
};

function watched({ standing, since_utc }: GlanceFile): Seen {
  const { state, words, needs_you } = standing;
  return { state: state === 'unknown' ? 'starting' : state, since: since_utc, reason: words, needs_you };
}

function unwatched(
  { facts, tool }: Entry,
  session: ServerSession | 'unknown',
  gateway: RosterAgent['gateway'],
): Seen {
  const nobody = { since: null, needs_you: null };
  if (gateway === 'restarting') return { ...nobody, state: 'starting', reason: 'gateway is being started' };
  if (session === 'unknown') return { ...nobody, state: 'not_watched', reason: 'not watched' };
  if (facts && isToolGone(facts, tool, session.panePid))
    return {
      ...nobody,
      state: 'gone',
      reason: 'tool gone',
      needs_you: 'its tool has ended; "rouse agents relaunch" starts it',
    };
  return { ...nobody, state: 'not_watched', reason: 'not watched, tool runs' };
}

/** Between two turns of a headless agent no process of its tool runs. */
function isToolGone(facts: ManifestFacts, tool: string, panePid: number | undefined): boolean {
  if (isHeadless(facts.backend)) return false;
  const ours = section(section(section(facts.document, 'launch_plan'), 'metadata'), 'rouse');
  const names = Array.isArray(ours['process_names']) ? (ours['process_names'] as string[]) : [tool];
  return panePid === undefined || findTool(panePid, names) === undefined;
}

function keptGateway(paths: SessionPaths | undefined): Exclude<RosterAgent['gateway'], 'live'> {
  if (!paths) return 'not_attached';
  const keeper = readKeeper(paths);
  if (keeper?.gaveUp) return 'down';
  return keeper && isProcessAlive(keeper.identity) ? 'restarting' : 'not_attached';
}

function mailboxOf(facts: ManifestFacts | undefined): Record<string, unknown> | undefined {
  return facts && section(section(facts.document, 'launch_plan'), 'mailbox');
}

function wakesOf({ wakes: { on, count, last_at_utc } }: GlanceFile): RosterAgent['wakes'] {
  return { on, count, last_at_utc };
}

/** Mail that is held back, or requests in line. */
function waitingFor({ wakes, queue_depth }: GlanceFile): string | null {
  if (wakes.held_back !== null) return wakes.held_back;
  if (queue_depth === 0) return null;
  return queue_depth === 1 ? '1 request in line' : `${queue_depth} requests in line`;
}

/** The directories in which something changes when the roster does; one that is not there yet is left out. */
export function rosterFiles(context: SessionContext): string[] {
  const { registryDir } = context.settings;
  const view = readRegistry(registryDir, context.clock.now().getTime());
  const own = view.fresh.flatMap(({ runtime, mailbox }) => {
    const { gateway, run } = sessionPaths(path.dirname(runtime.manifest_path));
    return [gateway, run, inboxDirectory(mailbox) ?? []].flat();
  });
  return [agentsDirectory(registryDir), ...own].filter((directory) => fs.existsSync(directory));
}
