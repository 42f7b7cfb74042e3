import { utcStamp } from '../../base/index.ts';
import { cleanLine, type DayState } from '../../domain/index.ts';
import type { GatewayRecords } from '../../gateway/offline.ts';
import type { DaySpan } from './day-span.ts';

const MAX_STATES = 500;
const MAX_WORDS = 200;

/** Changes of the agent's state in that time, as its gateways kept them. */
export function statesBetween(records: GatewayRecords, { fromUtc, toUtc }: DaySpan): DayState[] {
  const fromMs = Date.parse(fromUtc);
  const kept = records.states({ fromMs, toMs: Date.parse(toUtc), limit: MAX_STATES });
  return kept
    .filter(({ at_ms }) => at_ms >= fromMs)
    .map(({ at_ms, state, words }) => ({
      at_utc: utcStamp(new Date(at_ms)),
      state,
      words: cleanLine(words, MAX_WORDS),
    }));
}
