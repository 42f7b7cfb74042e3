import { type Clock, identifyProcess, type ProcessIdentity, utcStamp } from '../../base/index.ts';
import {
  type AgentEdges,
  type AgentNeed,
  describeStanding,
  edgesAfter,
  NO_EDGES,
  type Standing,
} from '../../domain/index.ts';
import type { GlanceFile } from '../../wire/index.ts';

export interface GlanceDependencies {
  standing: () => Standing;
  queueDepth: () => number;
  /** Recent deliveries that ended badly. */
  undelivered: () => AgentNeed[];
  /** What the notifier knows without looking. */
  mail: () => Pick<GlanceFile, 'open_mail' | 'wakes'>;
  clock: Clock;
  /** Those of the gateway before this one. */
  edges?: AgentEdges | undefined;
}

/** What a list of agents shows about this one, and since when. */
export class Glance {
  readonly #deps: GlanceDependencies;
  readonly #self: ProcessIdentity;
  #shown = '';
  #sinceUtc = '';
  #edges: AgentEdges;

  constructor(deps: GlanceDependencies) {
    this.#deps = deps;
    this.#edges = deps.edges ?? NO_EDGES;
    this.#self = identifyProcess(process.pid) ?? { pid: process.pid, startTicks: null, bootId: null };
  }

  now(): GlanceFile {
    const { standing, queueDepth, undelivered, mail, clock } = this.#deps;
    const current = standing();
    const failed = undelivered();
    const shown = `${current.state} ${current.words}`;
    if (shown !== this.#shown) this.#sinceUtc = utcStamp(clock.now());
    this.#shown = shown;
    this.#edges = edgesAfter(this.#edges, current);
    return {
      schema_version: 1,
      written_by: this.#self,
      standing: current,
      since_utc: this.#sinceUtc,
      edges: this.#edges,
      ...mail(),
      queue_depth: queueDepth(),
      ...(failed.length > 0 && { undelivered: failed }),
    };
  }

  /** The content of glance.json after the gateway has ended. */
  ended(): GlanceFile {
    return {
      ...this.now(),
      written_by: null,
      standing: describeStanding({ code: 'not_looked_at' }, {}),
      since_utc: utcStamp(this.#deps.clock.now()),
    };
  }
}
