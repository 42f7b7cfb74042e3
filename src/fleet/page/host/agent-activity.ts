import * as fs from 'node:fs';
import type { GatewayActivity, GatewayRecords } from '../../../gateway/offline.ts';
import { gatewayFiles, type PageAgentRow } from '../../../wire/index.ts';
import type { KeptOpen } from '../kept-open.ts';

const MINUTE_MS = 60_000;
const MINUTES = 60;

const NOTHING: GatewayActivity = {
  wakes: [],
  turns: [],
  lastTurnEndedAtUtc: null,
  doing: null,
};

/**
 * A commit becomes visible a moment after its file changed. It is looked for this often before the file counts as
 * unchanged.
 */
const TRIES = 10;

interface Known {
  /** Version of the data, and the reader it belongs to. */
  version: number;
  records: GatewayRecords;
  /** Fingerprint of the log when that version was read. */
  log: string;
  tries: number;
  news: string;
  activity: GatewayActivity;
}

export interface LookedAt {
  activity: GatewayActivity;
  /** The ledger has something new that is worth reading. */
  isNew: boolean;
  /** Something was written that is not visible yet. */
  isUnsettled: boolean;
}

/**
 * The ledgers of many agents, each read again only after a commit. Readers touch the files too, so only the version
 * shows whether something is new.
 */
export class Activities {
  readonly #readers: KeptOpen<GatewayRecords>;
  readonly #known = new Map<string, Known>();

  constructor(readers: KeptOpen<GatewayRecords>) {
    this.#readers = readers;
  }

  /** Empty if no gateway has run yet, or its file cannot be read now. */
  of(gatewayRoot: string): LookedAt {
    const known = this.#known.get(gatewayRoot);
    try {
      return this.#readers.use(gatewayRoot, (records) => this.#look(gatewayRoot, records, known));
    } catch {
      // It does not exist yet, is being made, or has another version: the rest of the agent is shown.
      return { activity: known?.activity ?? NOTHING, isNew: false, isUnsettled: false };
    }
  }

  /** Forgets agents that are gone. */
  keep(gatewayRoots: ReadonlySet<string>): void {
    for (const root of this.#known.keys()) if (!gatewayRoots.has(root)) this.#known.delete(root);
    this.#readers.keep(gatewayRoots);
  }

  #look(root: string, records: GatewayRecords, known: Known | undefined): LookedAt {
    const log = stateOf(`${gatewayFiles(root).queue}-wal`);
    const version = records.version();
    if (known?.records === records && known.version === version) {
      const isUnsettled = known.log !== log && ++known.tries <= TRIES;
      if (!isUnsettled) Object.assign(known, { log, tries: 0 });
      return { activity: known.activity, isNew: false, isUnsettled };
    }
    const activity = records.activity();
    const news = records.news();
    this.#known.set(root, { version, records, log, tries: 0, news, activity });
    return { activity, isNew: known !== undefined && known.news !== news, isUnsettled: false };
  }
}

function stateOf(file: string): string {
  const stat = fs.statSync(file, { throwIfNoEntry: false });
  return stat ? `${stat.mtimeMs}.${stat.size}` : '-';
}

export function lastHour({ wakes, turns }: GatewayActivity, now: Date): PageAgentRow['last_hour'] {
  const from = (Math.floor(now.getTime() / MINUTE_MS) - MINUTES + 1) * MINUTE_MS;
  const buckets = (stamps: readonly string[]): number[] => {
    const counts = new Array<number>(MINUTES).fill(0);
    for (const stamp of stamps) {
      const at = Math.floor((Date.parse(stamp) - from) / MINUTE_MS);
      if (at >= 0 && at < MINUTES) counts[at]!++;
    }
    return counts;
  };
  return { from_utc: new Date(from).toISOString(), wakes: buckets(wakes), turns: buckets(turns) };
}
