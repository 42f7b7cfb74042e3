import { identifyProcess, type ProcessIdentity } from '../../base/index.ts';
import {
  type AgentEdges,
  type AgentNeed,
  describeStanding,
  edgesAfter,
  NO_EDGES,
  type Standing,
} from '../../domain/index.ts';
import type { GlanceFile } from '../../wire/index.ts';
import type { StateChanges } from './state-changes.ts';

export interface GlanceDependencies {
  standing: () => Standing;
  queueDepth: () => number;
  /** Recent deliveries that ended badly. */
  undelivered: () => AgentNeed[];
  /** What the notifier knows without looking. */
  mail: () => Pick<GlanceFile, 'open_mail' | 'wakes'>;
  states: Pick<StateChanges, 'note' | 'end'>;
  /** Those of the gateway before this one. */
  edges?: AgentEdges | undefined;
}

/** What a list of agents shows about this one, and since when. */
export class Glance {
  readonly #deps: GlanceDependencies;
  readonly #self: ProcessIdentity;
  #edges: AgentEdges;

  constructor(deps: GlanceDependencies) {
    this.#deps = deps;
    this.#edges = deps.edges ?? NO_EDGES;
    this.#self = identifyProcess(process.pid) ?? { pid: process.pid, startTicks: null, bootId: null };
  }

  now(): GlanceFile {
    const { standing, queueDepth, undelivered, mail, states } = this.#deps;
    const current = standing();
    const failed = undelivered();
    this.#edges = edgesAfter(this.#edges, current);
    return {
      schema_version: 1,
      written_by: this.#self,
      standing: current,
      since_utc: states.note(current),
      edges: this.#edges,
      ...mail(),
      queue_depth: queueDepth(),
      ...(failed.length > 0 && { undelivered: failed }),
    };
  }

  /** The content of glance.json after the gateway has ended. */
  ended(): GlanceFile {
    const { states } = this.#deps;
    const last = this.now();
    const standing = describeStanding({ code: 'not_looked_at' }, {});
    const since_utc = states.note(standing, 'its gateway ended');
    states.end();
    return { ...last, written_by: null, standing, since_utc };
  }
}
