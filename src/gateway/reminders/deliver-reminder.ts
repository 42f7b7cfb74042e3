import { type Clock, messageOf, utcStamp } from '../../base/index.ts';
import { ensureTrailingEnter, newRequestId, reasonTexts } from '../../domain/index.ts';
import type { AgentSurface, DeliveryResult, Evidence } from '../../terminal/index.ts';
import type { ReminderDelivery } from '../../wire/index.ts';
import type { LiveReminder } from './live-reminder.ts';

/** Delivers one reminder, through the lane and its gate like everything else. */
export async function deliverReminder(
  { reminder_id, definition }: LiveReminder,
  { surface, clock, stopping }: { surface: AgentSurface; clock: Clock; stopping?: AbortSignal | undefined },
): Promise<{ result: DeliveryResult; delivery: ReminderDelivery }> {
  const evidence: Evidence[] = [];
  let result: DeliveryResult;
  const requestId = newRequestId(clock.now());
  try {
    result =
      definition.prompt != null
        ? await surface.deliver({
            requestId,
            text: definition.prompt,
            policy: 'ready_only',
            automatic: true,
            owner: { source: 'reminder', id: reminder_id, title: definition.title },
            ...(stopping && { patient: stopping }),
            record: async (stage, seen) => {
              evidence.push({ ...seen, facts: { ...seen.facts, stage } });
            },
          })
        : await surface.sendKeys({
            requestId,
            sequence: keysOf(definition.send_keys!),
            automatic: true,
          });
  } catch (error) {
    result = { outcome: 'failed', reasons: [messageOf(error)], evidence: [], untouched: false };
  }
  const delivery: ReminderDelivery = {
    reminder_id,
    title: definition.title,
    outcome: result.outcome,
    finished_at_utc: utcStamp(clock.now()),
    reasons: reasonTexts(result.reasons),
    evidence: [...evidence, ...result.evidence].map(({ source, atUtc, facts }) => ({
      source,
      at_utc: atUtc,
      ...facts,
    })),
  };
  return { result, delivery };
}

function keysOf({ sequence, ensure_enter }: { sequence: string; ensure_enter: boolean }): string {
  return ensure_enter ? ensureTrailingEnter(sequence) : sequence;
}
