import type { ProcessIdentity } from '../../base/index.ts';
import type { AgentEdges, AgentNeed, FormerWakes, Standing } from '../../domain/index.ts';

/**
 * gateway/glance.json: what a list of agents shows of one agent. Its gateway writes it when something changes; readers need
 * no connection to the gateway. It counts only while the process that wrote it is running.
 */
export interface GlanceFile {
  schema_version: 1;
  /** Null once the gateway has ended normally. */
  written_by: ProcessIdentity | null;
  standing: Standing;
  /** The start of that state, as far as this gateway saw it. */
  since_utc: string;
  /** What happened to it so far, so that one who looks late has missed nothing; absent from an older gateway. */
  edges?: AgentEdges;
  /** Mail that may wake the agent; null when the gateway does not count it. */
  open_mail: number | null;
  wakes: {
    on: boolean;
    /** Wakes proven to be submitted. */
    count: number;
    last_at_utc: string | null;
    /** The notifier's reason why open mail is not announced now. */
    held_back: string | null;
    /** Off after having been set; absent from an older gateway. */
    turned_off?: boolean;
    /** The settings before; only while they are turned off. */
    former?: FormerWakes;
  };
  /** Queued requests. */
  queue_depth: number;
  /** Deliveries of the last day that ended badly, newest first; absent without any. */
  undelivered?: AgentNeed[];
}
