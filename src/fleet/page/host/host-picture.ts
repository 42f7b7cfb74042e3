import * as os from 'node:os';
import { type Clock, messageOf } from '../../../base/index.ts';
import type { Sql } from '../../../db/index.ts';
import { type Roster, roster, type SessionContext, sessionPaths } from '../../../session/index.ts';
import type { PageAgentRow, PageCounts, PageNeed } from '../../../wire/index.ts';
import { Activities } from './agent-activity.ts';
import { inOrder, localRow, remoteRow, type SeenAgent } from './agent-rows.ts';
import { type FleetFacts, NO_FLEET, readFleet } from './fleet-facts.ts';
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

  async readHost(): Promise<void> {
    const { session } = this.#on;
    this.#roster = session ? await roster(session) : NO_ROSTER;
    this.#activities.keep(new Set(this.#places().map(([, root]) => root)));
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
      const paths = place.facts && sessionPaths(place.facts.root);
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
    const agents = [
      ...local.map((each) => localRow(each, now)),
      ...remote.map((each) => remoteRow(each, now)),
    ].sort(inOrder);
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

  #places(): [string, string][] {
    return [...this.#roster.known].flatMap(([id, { facts }]) =>
      facts ? [[id, sessionPaths(facts.root).gateway]] : [],
    );
  }
}
