import { type ReasonCode, reason, type Why } from '../../../domain/index.ts';
import type { DeliveryResult } from '../../port.ts';
import type { Sight } from '../../watch/sight.ts';

const PROCESS: Record<Exclude<Sight['foreground']['kind'], 'tool'>, ReasonCode> = {
  gone: 'tool_gone',
  shell: 'shell_in_foreground',
  other: 'other_program',
  unknown: 'process_unknown',
};

/** Raw keys need the right pane, the tool in its foreground and nobody reading in copy mode; nothing else. */
export function whyNoKeys({ view, away, foreground, facts }: Sight): Why | undefined {
  if (!view) return away ?? 'the terminal is out of reach';
  if (foreground.kind !== 'tool') return reason(PROCESS[foreground.kind]);
  return facts.copy_mode ? reason('copy_mode') : undefined;
}

export function keysRefused(sight: Sight): DeliveryResult | undefined {
  const reason = whyNoKeys(sight);
  if (reason === undefined) return undefined;
  return { outcome: 'not_ready', reasons: [reason], evidence: [], untouched: true };
}
