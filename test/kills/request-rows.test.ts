import { describe, expect, it } from 'vitest';
import { falseEnd, type Row } from './request-rows.ts';

const row = (outcome: string | null, stages: string | null, error_detail: string | null = 'why'): Row => ({
  request_id: 'r',
  idempotency_key: null,
  payload_json: '{}',
  source: 'http',
  state: 'completed',
  outcome,
  waiting_reason: null,
  error_detail,
  stages,
});

describe('the recorded end of a request', () => {
  it.each([
    [row(null, 'running')],
    [row('submitted', 'running,typing,typed,submitted,finished', null)],
    [row('unconfirmed', 'running,typing,finished')],
    [row('failed', 'running,returned,running,finished')],
    [row('failed', 'running,typing,returned,running,typing,finished')],
  ])('the recorded end of a request is true: %o', (each) => expect(falseEnd(each)).toBeUndefined());

  it.each([
    ['unconfirmed, and nothing was typed', row('unconfirmed', 'running,finished')],
    ['unconfirmed, without a ledger', row('unconfirmed', null)],
    ['failed, and it was submitted', row('failed', 'running,typing,submitted,finished')],
    ['failed, without a reason', row('failed', 'running,finished', null)],
  ])('the recorded end of a request is false: %s', (_, each) =>
    expect(falseEnd(each)).toContain(`says ${each.outcome}`),
  );
});
