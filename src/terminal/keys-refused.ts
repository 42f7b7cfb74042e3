import type { DeliveryResult } from './port.ts';
import type { Sight } from './sight.ts';

/** Raw keys need the right pane, the tool in its foreground and nobody reading in copy mode; nothing else. */
export function keysRefused({ view, away, foreground, facts }: Sight): DeliveryResult | undefined {
  const refuse = (reason: string): DeliveryResult => ({
    outcome: 'not_ready',
    reasons: [reason],
    evidence: [],
    untouched: true,
  });
  if (!view) return refuse(away ?? 'the terminal is out of reach');
  if (foreground.kind !== 'tool') return refuse(`process='${foreground.kind}'`);
  return facts.copy_mode ? refuse(`copy_mode='yes'`) : undefined;
}
