import * as os from 'node:os';
import { type Clock, type Log, messageOf } from '../../../base/index.ts';
import type { Sql } from '../../../db/index.ts';
import { AGENT_STATES, WORKSPACE_STATUSES } from '../../../domain/index.ts';
import type { GatewayRecords } from '../../../gateway/offline.ts';
import {
  NO_ROSTER,
  type Roster,
  type RosterAgent,
  type RosterPlace,
  roster,
  type SessionContext,
  type SessionPaths,
  sessionPaths,
} from '../../../session/index.ts';
import type { PageCounts, PageNeed } from '../../../wire/index.ts';
import type { KeptOpen } from '../kept-open.ts';
import { Activities } from './agent-activity.ts';
import { remoteRow } from './agent-rows.ts';
import { type FleetAgent, type FleetFacts, NO_FLEET, readFleet } from './fleet-facts.ts';
import { byUrgency, requestNeed } from './needs.ts';
import type { SeenMarks } from './seen-marks.ts';
import { type ShownAgent, ShownAgents, sameNeeds, shownRow } from './shown-agents.ts';

export interface Picture {
  agents: ReadonlyMap<string, ShownAgent>;
  /** The same array while nothing changed in it. */
  needs: readonly PageNeed[];
  counts: PageCounts;
  troubles: string[];
}

export interface PictureParts {
  /** Where the sessions of this host are. Undefined: the server manages none. */
  session: SessionContext | undefined;
  sql: Sql;
  clock: Clock;
  log: Log;
  seen: SeenMarks;
  readers: KeptOpen<GatewayRecords>;
  operatorUnread: () => Promise<number>;
}

/** Everything known about every agent, combined from files and the database. Each part is read again on request. */
export class HostPicture {
  readonly #parts: PictureParts;
  readonly #activities: Activities;
  readonly #local = new ShownAgents();
  readonly #paths = new WeakMap<RosterPlace, SessionPaths>();
  readonly #agents = new Map<string, RosterAgent>();
  #roster: Roster = NO_ROSTER;
  #fleet: FleetFacts = NO_FLEET;
  #registered: ReadonlyMap<string, FleetAgent> = new Map();
  #asked: readonly PageNeed[] = [];
  #elsewhere: ReadonlyMap<string, ShownAgent> = new Map();
  readonly #committed = new Set<string>();
  readonly #unsettled = new Set<string>();
  #fleetTrouble: string | undefined;
  #unread = 0;
  #needs: { parts: readonly (readonly PageNeed[])[]; sorted: readonly PageNeed[] } = {
    parts: [],
    sorted: [],
  };

  constructor(parts: PictureParts) {
    this.#parts = parts;
    this.#activities = new Activities(parts.readers);
  }

  get roster(): Omit<Roster, 'agents'> {
    return this.#roster;
  }

  /** The agents of this host, as their files were last read. */
  get here(): Iterable<RosterAgent> {
    return this.#agents.values();
  }

  /** Its workspace id in the registry; undefined for an agent that no fleet knows. */
  workspaceOf(id: string): string | undefined {
    return this.#registered.get(id)?.workspaceId;
  }

  /** Where its files are; undefined if its manifest cannot be read. Needed at every look, so computed once. */
  pathsOf(place: RosterPlace): SessionPaths | undefined {
    if (!place.facts) return undefined;
    const known = this.#paths.get(place) ?? sessionPaths(place.facts.root);
    this.#paths.set(place, known);
    return known;
  }

  async readHost(): Promise<void> {
    const { session } = this.#parts;
    this.#roster = session ? await roster(session) : NO_ROSTER;
    this.#agents.clear();
    for (const agent of this.#roster.agents) this.#agents.set(agent.id, agent);
    const places = [...this.#roster.known.values()];
    this.#activities.keep(new Set(places.flatMap((place) => this.pathsOf(place)?.gateway ?? [])));
    this.#local.keep(this.#roster.known);
    this.#lookElsewhere();
  }

  /** Reads these agents' files again, without asking tmux. */
  readAgents(ids: Iterable<string>): void {
    for (const id of ids)
      this.#each(id, () => {
        const place = this.#roster.known.get(id);
        if (place) this.#agents.set(id, place.again());
      });
  }

  /** If the database is away, keeps what was known and says so. */
  async readFleet(): Promise<void> {
    try {
      this.#fleet = await readFleet(this.#parts.sql);
      this.#registered = new Map(this.#fleet.agents.map((each) => [each.agentId, each]));
      this.#asked = sameNeeds(this.#asked, this.#fleet.requests.map(requestNeed));
      this.#fleetTrouble = undefined;
      this.#lookElsewhere();
    } catch (error) {
      this.#fleetTrouble = `the database cannot be read: ${messageOf(error)}`;
    }
  }

  async readOperator(): Promise<void> {
    this.#unread = await this.#parts.operatorUnread().catch(() => this.#unread);
  }

  /** Returns the picture after another look at these agents of this host; the others stay as last seen. */
  look(ids: Iterable<string> = this.#roster.known.keys()): Picture {
    const now = this.#parts.clock.now();
    for (const id of ids) this.#each(id, () => this.#lookAt(id, now));
    const agents = new Map([...this.#local.all, ...this.#elsewhere]);
    const needs = this.#allNeeds();
    const troubles = [
      ...this.#roster.malformed_records.map((file) => `${file} is not a registry record and was skipped`),
      ...this.#roster.troubles,
      ...(this.#fleetTrouble ? [this.#fleetTrouble] : []),
    ];
    return { agents, needs, counts: this.#counts(agents, needs), troubles };
  }

  /** Names of agents whose ledger had a commit since the last call. */
  takeCommitted(): string[] {
    return drained(this.#committed);
  }

  /** Ids of agents whose ledger was written to but shows no commit yet. */
  takeUnsettled(): string[] {
    return drained(this.#unsettled);
  }

  /** An agent that cannot be read is shown as it was; the others are still looked at. */
  #each(id: string, look: () => void): void {
    try {
      look();
    } catch (error) {
      this.#parts.log.warn('an agent cannot be read', { agent_id: id, cause: messageOf(error) });
    }
  }

  #lookAt(id: string, now: Date): void {
    const agent = this.#agents.get(id);
    const place = this.#roster.known.get(id);
    if (!agent || !place) return;
    const paths = this.pathsOf(place);
    const { activity, isNew, isUnsettled } = this.#activities.of(paths?.gateway ?? '');
    if (isNew) this.#committed.add(agent.name);
    if (isUnsettled) this.#unsettled.add(id);
    const { seen } = this.#parts;
    this.#local.look({ agent, place, activity, fleet: this.#registered.get(id), seenAt: seen.of(id) }, now);
  }

  /** Agents on other hosts are known only from the registry. */
  #lookElsewhere(): void {
    const now = this.#parts.clock.now();
    const far = this.#fleet.agents.filter(
      ({ agentId, host, status }) =>
        !this.#roster.known.has(agentId) && (host !== os.hostname() || WORKSPACE_STATUSES[status].alive),
    );
    this.#elsewhere = new Map(
      far.map((each) => [each.agentId, { ...shownRow(remoteRow(each, now)), needs: [] }]),
    );
  }

  #allNeeds(): readonly PageNeed[] {
    const parts = [...this.#local.all.values()].map(({ needs }) => needs).filter(({ length }) => length > 0);
    parts.push(this.#asked);
    const { parts: before } = this.#needs;
    const isSame = parts.length === before.length && parts.every((each, at) => each === before[at]);
    if (!isSame) this.#needs = { parts, sorted: byUrgency(parts.flat()) };
    return this.#needs.sorted;
  }

  #counts(agents: Picture['agents'], needs: readonly PageNeed[]): PageCounts {
    const counted = { working: 0, idle: 0, waiting: 0, gone: 0, elsewhere: 0 };
    for (const { row } of agents.values()) {
      const as = AGENT_STATES[row.state].counted;
      if (as) counted[as]++;
    }
    return {
      agents: agents.size,
      ...counted,
      needs_you: needs.length,
      unread_operator: this.#unread,
      requests_for_me: this.#fleet.forPeople,
      requests_open: this.#fleet.open,
    };
  }
}

function drained(set: Set<string>): string[] {
  const all = [...set];
  set.clear();
  return all;
}
