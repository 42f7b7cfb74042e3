import type { DeliveryResult } from '../../port.ts';
import type { Sight } from '../../watch/sight.ts';

/** Raw keys need the right pane, the tool in its foreground and nobody reading in copy mode; nothing else. */
export function whyNoKeys({ view, away, foreground, facts }: Sight): string | undefined {
  if (!view) return away ?? 'the terminal is out of reach';
  if (foreground.kind !== 'tool') return `process='${foreground.kind}'`;
  return facts.copy_mode ? `copy_mode='yes'` : undefined;
}

export function keysRefused(sight: Sight): DeliveryResult | undefined {
  const reason = whyNoKeys(sight);
  if (reason === undefined) return undefined;
  return { outcome: 'not_ready', reasons: [reason], evidence: [], untouched: true };
}
