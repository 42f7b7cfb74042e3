import type { ProcessIdentity } from '../../base/index.ts';
import type { AgentNeed, FormerWakes, Standing } from '../../domain/index.ts';

/**
 * gateway/glance.json: all that a list of agents shows of one, written by its gateway when it changed. Read from outside
 * without asking anybody; believed only while the process that wrote it runs.
 */
export interface GlanceFile {
  schema_version: 1;
  /** Null once the gateway has ended in order. */
  written_by: ProcessIdentity | null;
  standing: Standing;
  /** Since when it stands so, as far as this gateway saw. */
  since_utc: string;
  /** Mail that may wake the agent; null where the gateway does not look. */
  open_mail: number | null;
  wakes: {
    on: boolean;
    /** Proven to be submitted. */
    count: number;
    last_at_utc: string | null;
    /** Why open mail is not announced now, as the notifier says it. */
    held_back: string | null;
    /** Off although somebody had set them; absent from an older gateway. */
    turned_off?: boolean;
    /** How it was woken before; only while they are turned off. */
    former?: FormerWakes;
  };
  /** Requests in line. */
  queue_depth: number;
  /** Deliveries of the last day that ended badly, newest first; absent without any. */
  undelivered?: AgentNeed[];
}
