import * as os from 'node:os';
import { type Clock, messageOf } from '../../../base/index.ts';
import type { Sql } from '../../../db/index.ts';
import {
  type Roster,
  type RosterPlace,
  roster,
  type SessionContext,
  type SessionPaths,
  sessionPaths,
} from '../../../session/index.ts';
import type { PageAgentRow, PageCounts, PageNeed } from '../../../wire/index.ts';
import { Activities } from './agent-activity.ts';
import { inOrder, remoteRow, type SeenAgent } from './agent-rows.ts';
import { type FleetFacts, NO_FLEET, readFleet } from './fleet-facts.ts';
import { LocalRows } from './local-rows.ts';
import { needsOf } from './needs.ts';
import type { SeenMarks } from './seen-marks.ts';

export interface Picture {
  agents: PageAgentRow[];
  needs: PageNeed[];
  counts: PageCounts;
  troubles: string[];
}

export interface PictureParts {
  /** Where the sessions of this host are; undefined: the server manages none. */
  session: SessionContext | undefined;
  sql: Sql;
  clock: Clock;
  seen: SeenMarks;
  operatorUnread: () => Promise<number>;
}

const NO_ROSTER: Roster = {
  agents: [],
  malformed_records: [],
  troubles: [],
  processes: [],
  known: new Map(),
};

/** What is known of every agent, put together from files and the database; each part read again when it is asked to be. */
export class HostPicture {
  readonly #on: PictureParts;
  readonly #activities = new Activities();
  readonly #rows = new LocalRows();
  readonly #paths = new WeakMap<RosterPlace, SessionPaths>();
  #roster: Roster = NO_ROSTER;
  #fleet: FleetFacts = NO_FLEET;
  #fleetTrouble: string | undefined;
  #unread = 0;

  constructor(parts: PictureParts) {
    this.#on = parts;
  }

  get roster(): Roster {
    return this.#roster;
  }

  /** Where its files are; undefined when its manifest cannot be read. Asked for at every look, so put together once. */
  pathsOf(place: RosterPlace): SessionPaths | undefined {
    if (!place.facts) return undefined;
    const known = this.#paths.get(place) ?? sessionPaths(place.facts.root);
    this.#paths.set(place, known);
    return known;
  }

  async readHost(): Promise<void> {
    const { session } = this.#on;
    this.#roster = session ? await roster(session) : NO_ROSTER;
    const places = [...this.#roster.known.values()];
    this.#activities.keep(new Set(places.flatMap((place) => this.pathsOf(place)?.gateway ?? [])));
  }

  /** These agents again from their files, without asking tmux. */
  readAgents(ids: ReadonlySet<string>): void {
    const agents = this.#roster.agents.map((agent) =>
      ids.has(agent.id) ? (this.#roster.known.get(agent.id)?.again() ?? agent) : agent,
    );
    this.#roster = { ...this.#roster, agents };
  }

  /** A database that is away leaves what was known, and says so. */
  async readFleet(): Promise<void> {
    try {
      this.#fleet = await readFleet(this.#on.sql);
      this.#fleetTrouble = undefined;
    } catch (error) {
      this.#fleetTrouble = `the database cannot be asked: ${messageOf(error)}`;
    }
  }

  async readOperator(): Promise<void> {
    this.#unread = await this.#on.operatorUnread().catch(() => this.#unread);
  }

  look(): Picture {
    const now = this.#on.clock.now();
    const byAgent = new Map(this.#fleet.agents.map((each) => [each.agentId, each]));
    const local = this.#roster.agents.flatMap((agent): SeenAgent[] => {
      const place = this.#roster.known.get(agent.id);
      if (!place) return [];
      const paths = this.pathsOf(place);
      return [
        {
          agent,
          place,
          activity: this.#activities.of(paths?.gateway ?? '', paths?.queue ?? ''),
          fleet: byAgent.get(agent.id),
          seenAt: this.#on.seen.of(agent.id),
        },
      ];
    });
    const here = new Set(local.map(({ agent }) => agent.id));
    const remote = this.#fleet.agents.filter(
      ({ agentId, host, status }) => !here.has(agentId) && (host !== os.hostname() || status === 'online'),
    );
    const agents = [...this.#rows.of(local, now), ...remote.map((each) => remoteRow(each, now))].sort(
      inOrder,
    );
    const needs = needsOf(local, this.#fleet, now);
    const troubles = [
      ...this.#roster.malformed_records.map((file) => `${file} is not a registry record and was skipped`),
      ...this.#roster.troubles,
      ...(this.#fleetTrouble ? [this.#fleetTrouble] : []),
    ];
    return { agents, needs, counts: this.#counts(agents, needs), troubles };
  }

  #counts(agents: readonly PageAgentRow[], needs: readonly PageNeed[]): PageCounts {
    const of = (...states: PageAgentRow['state'][]): number =>
      agents.filter(({ state }) => states.includes(state)).length;
    return {
      agents: agents.length,
      working: of('working'),
      idle: of('idle'),
      waiting: of('waiting', 'starting', 'not_watched'),
      needs_you: needs.length,
      gone: of('gone'),
      elsewhere: of('elsewhere'),
      unread_operator: this.#unread,
      requests_for_me: this.#fleet.forPeople,
      requests_open: this.#fleet.open,
    };
  }
}
