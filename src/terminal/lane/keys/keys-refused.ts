import { type ReasonCode, reason, type Why } from '../../../domain/index.ts';
import type { DeliveryResult } from '../../port.ts';
import type { Snapshot } from '../../watch/snapshot.ts';

const PROCESS: Record<Exclude<Snapshot['foreground']['kind'], 'tool'>, ReasonCode> = {
  gone: 'tool_gone',
  shell: 'shell_in_foreground',
  other: 'other_program',
  unknown: 'process_unknown',
};

/** Raw keys need only the right pane, the tool in its foreground, and no one reading in copy mode. */
export function whyNoKeys({ view, away, foreground, facts }: Snapshot): Why | undefined {
  if (!view) return away ?? 'the terminal is out of reach';
  if (foreground.kind !== 'tool') return reason(PROCESS[foreground.kind]);
  return facts.copy_mode ? reason('copy_mode') : undefined;
}

export function keysRefused(snapshot: Snapshot): DeliveryResult | undefined {
  const reason = whyNoKeys(snapshot);
  if (reason === undefined) return undefined;
  return { outcome: 'not_ready', reasons: [reason], evidence: [], untouched: true };
}
