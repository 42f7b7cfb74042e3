import { expect, it } from 'vitest';
import type { LedgerEntry } from '../queue/index.ts';
import { WakeMetrics } from './wake-metrics.ts';

const at = (seconds: number): string => new Date(Date.UTC(2026, 3, 16, 9, 0, seconds)).toISOString();
const entry = (request_id: string, stage: LedgerEntry['stage'], seconds: number): LedgerEntry => ({
  ...{ entry_id: 1, request_id, stage, source: 'lane', at_utc: at(seconds), facts: {} },
});

it('wakes and their turns are counted by how long they took, other requests are not', () => {
  const metrics = new WakeMetrics();
  const get = (id: string) =>
    ({
      request_kind: id === 'prompt' ? 'submit_prompt' : 'mail_notifier_prompt',
      accepted_at_utc: at(0),
    }) as never;
  for (const [id, stage, seconds] of [
    ['a', 'submitted', 4],
    ['prompt', 'submitted', 5],
    ['a', 'turn_finished', 24],
    ['prompt', 'turn_finished', 30],
    ['b', 'submitted', 1],
  ] as const)
    metrics.note(entry(id, stage, seconds), { get });
  const text = metrics.text();
  expect(text).toContain('rouse_gateway_wake_submit_seconds_bucket{le="1"} 1');
  expect(text).toContain('rouse_gateway_wake_submit_seconds_bucket{le="5"} 2');
  expect(text).toContain('rouse_gateway_wake_submit_seconds_sum 5');
  expect(text).toContain('rouse_gateway_wake_turn_seconds_count 1');
  expect(text).toContain('rouse_gateway_wake_turn_seconds_sum 20');
});
