import { describe, expect, it } from 'vitest';
import type { NotifierDecision, RequestView } from '../../wire/index.ts';
import type { WakeHold } from '../words/wake-policies.ts';
import { headline, nextLook } from './wake-words.ts';

const decision = (more: Partial<NotifierDecision> = {}): NotifierDecision => ({
  audit_id: 1,
  poll_time_utc: '2026-04-16T09:14:02.000Z',
  outcome: 'enqueued',
  unread_count: 1,
  unread_digest: 'd',
  unread_summary: [],
  request_admission: 'open',
  active_execution: 'idle',
  queue_depth: 0,
  enqueued_request_id: 'gwreq-1',
  detail: null,
  facts: null,
  chain: [],
  ...more,
});

const request = (more: Partial<RequestView>, stages: string[] = []): RequestView =>
  ({
    state: 'failed',
    outcome: null,
    accepted_at_utc: '2026-04-16T09:14:02.000Z',
    finished_at_utc: '2026-04-16T09:14:04.000Z',
    waiting_reason: null,
    error_detail: 'because',
    ledger: stages.map((stage) => ({ stage, source: 's', at_utc: '2026-04-16T09:14:03.000Z', facts: {} })),
    ...more,
  }) as RequestView;

describe('how a wake ended', () => {
  it.each<[string, RequestView | undefined, string]>([
    [
      'submitted',
      request({ outcome: 'submitted', state: 'completed' }),
      'woken for 1 open message: request gwreq-1 was submitted after 2 s',
    ],
    [
      'interrupted after it was submitted',
      request({ outcome: 'cancelled' }, ['typing', 'typed', 'submitted']),
      'woken for 1 open message: request gwreq-1 was submitted, and ended as cancelled: because',
    ],
    [
      'superseded',
      request({ outcome: 'superseded' }),
      'a wake for 1 open message was accepted; not typed: request gwreq-1 ended as superseded: because',
    ],
    [
      'refused',
      request({ outcome: 'refused' }),
      'a wake for 1 open message was accepted; not typed: request gwreq-1 ended as refused: because',
    ],
    [
      'unconfirmed',
      request({ outcome: 'unconfirmed' }, ['typing', 'typed']),
      'a wake for 1 open message was accepted; typed, but nothing proves that the tool took it: request gwreq-1 ended as unconfirmed: because',
    ],
    [
      'failed in the middle',
      request({ outcome: 'failed' }, ['typing']),
      'a wake for 1 open message was accepted; typing began, but nothing was submitted: request gwreq-1 ended as failed: because',
    ],
    [
      'queued',
      request({ state: 'accepted', finished_at_utc: null, waiting_reason: "editing_input='yes'" }),
      "a wake for 1 open message was accepted; not typed yet: request gwreq-1 waits: its composer holds a draft (editing_input='yes')",
    ],
    [
      'being typed',
      request({ state: 'running', finished_at_utc: null }, ['typing']),
      'a wake for 1 open message was accepted; being typed now: request gwreq-1',
    ],
    [
      'forgotten',
      undefined,
      'a wake for 1 open message was accepted: request gwreq-1, which is no longer stored',
    ],
  ])('%s', (_what, found, expected) => {
    expect(headline(decision(), found)).toBe(expected);
  });
});

const AGENT = { hold: 'agent', look_again_utc: null } as const;

describe('when the agent is looked at again after it was busy', () => {
  const busy = (facts: object) =>
    decision({
      outcome: 'busy_skip',
      detail: "phase='active'",
      facts: { interval_seconds: 60, repeat: 'every_poll', ...facts },
    });

  it('after a busy check, new mail is checked again as soon as the agent is ready', () => {
    expect(nextLook(busy({ unannounced_count: 1 }), AGENT)).toBe(
      'checked again when the agent becomes ready, and every 1 min in any case',
    );
  });

  it('after a busy check, announced mail is checked at the next interval, unless its policy has its own times', () => {
    expect(nextLook(busy({ unannounced_count: 0 }), AGENT)).toMatch(
      /it waits for the next interval \(1 min\)/,
    );
    expect(nextLook(busy({ unannounced_count: 0, repeat: 'backoff' }), AGENT)).toMatch(
      /when the agent becomes ready/,
    );
  });

  it('after a busy check, the words name what holds the mail back', () => {
    const again = '2026-04-16T10:00:00.000Z';
    const said = (hold: WakeHold): string =>
      nextLook(busy({ unannounced_count: 1 }), { hold, look_again_utc: again });
    expect(said('quiet_hours')).toMatch(/^checked again when the quiet hours end, at /);
    expect(said('wake_budget')).toMatch(
      /^checked again when enough wakes of the last hour are an hour old, at /,
    );
    expect(said('gateway')).toMatch(/^checked again when the gateway is free and the agent is ready, at /);
  });
});
