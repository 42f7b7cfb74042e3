import * as fs from 'node:fs';
import { preview } from '../../../base/index.ts';
import { type GatewayActivity, openGatewayRecords } from '../../../gateway/offline.ts';
import type { PageAgentRow } from '../../../wire/index.ts';

const MINUTE_MS = 60_000;
const MINUTES = 60;

const NOTHING: GatewayActivity = {
  wakes: [],
  turns: [],
  lastTurnEndedAtUtc: null,
  doing: null,
  troubles: [],
};

/** What the ledgers of many agents tell, each read again only when its file has changed. */
export class Activities {
  readonly #known = new Map<string, { version: string; activity: GatewayActivity }>();

  /** Nothing where no gateway has run yet, or its file cannot be read now. */
  of(gatewayRoot: string, queueFile: string): GatewayActivity {
    const version = `${versionOf(queueFile)} ${versionOf(`${queueFile}-wal`)}`;
    const known = this.#known.get(gatewayRoot);
    if (known?.version === version) return known.activity;
    const activity = read(gatewayRoot) ?? known?.activity ?? NOTHING;
    this.#known.set(gatewayRoot, { version, activity });
    return activity;
  }

  /** Forgets agents that are gone. */
  keep(gatewayRoots: ReadonlySet<string>): void {
    for (const root of this.#known.keys()) if (!gatewayRoots.has(root)) this.#known.delete(root);
  }
}

function versionOf(file: string): string {
  try {
    const stat = fs.statSync(file, { throwIfNoEntry: false });
    return stat ? `${stat.mtimeMs}.${stat.size}` : '-';
  } catch {
    return '-';
  }
}

function read(gatewayRoot: string): GatewayActivity | undefined {
  try {
    const records = openGatewayRecords(gatewayRoot);
    try {
      return records.activity();
    } finally {
      records.close();
    }
  } catch {
    // Not there yet, just being made, or of another version: the rest of the agent is shown.
    return undefined;
  }
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

const KIND_WORDS: Readonly<Record<string, string>> = {
  mail_notifier_prompt: 'reads its mail',
  interrupt: 'interrupt',
};

/** A request on one line: what it would type, or what it is. */
export function requestTitle({
  request_kind,
  payload_json,
}: {
  request_kind: string;
  payload_json: string;
}): string {
  return KIND_WORDS[request_kind] ?? promptLine(payload_json) ?? request_kind;
}

function promptLine(payload: string): string | undefined {
  try {
    const { prompt } = JSON.parse(payload) as { prompt?: unknown };
    return typeof prompt === 'string' ? preview(prompt.slice(0, 2000), 120) : undefined;
  } catch {
    return undefined;
  }
}
