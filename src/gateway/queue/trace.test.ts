import { describe, expect, it } from 'vitest';
import { type RequestRow, traceOf } from './request.ts';

const row = (more: Partial<RequestRow>): RequestRow =>
  ({
    request_id: 'gwreq-1',
    payload_json: '{"prompt":"x"}',
    source: 'http',
    idempotency_key: null,
    ...more,
  }) as RequestRow;

describe('the id by which a request is followed', () => {
  it('the trace id of a fleet message is the id of the message', () => {
    expect(traceOf(row({ source: 'fleet', idempotency_key: 'a2a:0190-7' }))).toBe('0190-7');
  });

  it('the trace id of a wake is the mail it announces', () => {
    const payload_json = JSON.stringify({ prompt: 'x', mail: ['filesystem:m-1', 'filesystem:m-2'] });
    expect(traceOf(row({ source: 'notifier', payload_json }))).toBe('filesystem:m-1,filesystem:m-2');
  });

  it('the trace id of any other request is its own id, whatever key its sender chose', () => {
    expect(traceOf(row({ idempotency_key: 'a2a:mine' }))).toBe('gwreq-1');
    expect(traceOf(row({ payload_json: '{"prompt":"x","mail":[]}' }))).toBe('gwreq-1');
  });
});
