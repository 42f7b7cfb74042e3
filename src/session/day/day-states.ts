import { GatewayClient } from '../../client/index.ts';
import { cleanLine, type DayState, isHeadless } from '../../domain/index.ts';
import { readRecordedGateway } from '../records/live-gateway.ts';
import type { ManifestFacts } from '../records/manifest-facts.ts';
import { readToken, sessionPaths } from '../records/session-paths.ts';
import type { SessionContext } from '../session-context.ts';
import type { DaySpan } from './day-span.ts';

const MAX_SNAPSHOTS = 500;
const MAX_WORDS = 200;
const TIMEOUT_MS = 5000;

interface Snapshot {
  recorded_at_utc: string;
  standing?: { words: string } | undefined;
}

/** Changes of the agent's state, as its live gateway remembers them. A headless agent has none. */
export async function statesOf(
  { env }: SessionContext,
  facts: ManifestFacts,
  { fromUtc, toUtc }: DaySpan,
): Promise<DayState[]> {
  const paths = sessionPaths(facts.root);
  const gateway = readRecordedGateway(paths);
  if (typeof gateway !== 'object' || isHeadless(facts.backend)) return [];
  const { host, port } = gateway;
  const client = new GatewayClient({ host, port, token: readToken(paths, env), timeoutMs: TIMEOUT_MS });
  const { entries } = await client.call('tui.history', { limit: MAX_SNAPSHOTS });
  const states: DayState[] = [];
  for (const { recorded_at_utc: at_utc, standing } of entries as Snapshot[]) {
    const at = Date.parse(at_utc);
    if (!standing || at < Date.parse(fromUtc) || at > Date.parse(toUtc)) continue;
    const words = cleanLine(standing.words, MAX_WORDS);
    if (words !== states.at(-1)?.words) states.push({ at_utc, words });
  }
  return states;
}
