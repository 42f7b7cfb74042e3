import { describe, expect, it } from 'vitest';
import { ERROR_CODES, internal, invalid, notFound } from '../base/index.ts';
import {
  CODES,
  codeOfStatus,
  exitCodeOf,
  httpStatusOf,
  isRefusalName,
  REFUSALS,
  type RefusalName,
  refusal,
  toHttp,
  toJsonRpc,
} from './codes.ts';

describe('the table of codes', () => {
  it('the table of codes has a row for every error code, with the documented exit codes', () => {
    expect(Object.keys(CODES).sort()).toEqual([...ERROR_CODES].sort());
    expect(Object.fromEntries(Object.entries(CODES).map(([code, row]) => [code, row.exit]))).toEqual({
      invalid: 2,
      not_found: 3,
      conflict: 4,
      not_ready: 5,
      unsupported: 6,
      unavailable: 7,
      unauthorized: 8,
      forbidden: 8,
      internal: 1,
    });
  });

  it('the table of codes gives each error code its own JSON-RPC code in the range for servers', () => {
    const rpc = Object.values(CODES).map((row) => row.rpc);
    expect(new Set(rpc).size).toBe(rpc.length);
    for (const code of rpc)
      expect((code <= -32000 && code >= -32099) || code === -32602 || code === -32603).toBe(true);
  });

  it('maps every HTTP status back to a code with the same exit code', () => {
    for (const [code, { http }] of Object.entries(CODES)) {
      const expected = { not_ready: 'conflict', unsupported: 'invalid' }[code] ?? code;
      expect(codeOfStatus(http)).toBe(expected);
    }
    expect([400, 413, 415, 418, 422].map(codeOfStatus)).toEqual(Array(5).fill('invalid'));
    expect([502, 503, 504, 429].map(codeOfStatus)).toEqual(Array(4).fill('unavailable'));
    expect([500, 599, 302, 200].map(codeOfStatus)).toEqual(Array(4).fill('internal'));
  });
});

it.each([
  ['blocked_reconciliation', 409],
  ['unavailable', 503],
  ['invalid_chat_session', 422],
  ['invalid_execution', 422],
  ['not_ready', 409],
  ['missing_current_chat_session', 409],
  ['dispatch_failed', 422],
  ['unsupported_backend', 501],
  ['invalid_admission_policy', 422],
  ['pending_input', 409],
  ['pending_input_unknown', 409],
  ['mail_loopback_only', 503],
  ['mail_no_binding', 422],
  ['mail_transport', 502],
  ['mail_unsupported', 422],
  ['reminder_executing', 409],
] satisfies [RefusalName, number][])('the refusal %s is answered with %s', (name, status) => {
  const error = refusal(name, 'because');
  expect(httpStatusOf(error)).toBe(status);
  expect(toHttp(error)).toMatchObject({
    status,
    body: { detail: 'because', error: { facts: { error_code: name } } },
  });
  expect(exitCodeOf(error)).toBe(CODES[REFUSALS[name].code].exit);
});

it('a name is a refusal only if the table of refusals has it as its own key', () => {
  expect(['toString', '__proto__', '', 7, null].map(isRefusalName)).toEqual([
    false,
    false,
    false,
    false,
    false,
  ]);
});

describe('an error on the wire', () => {
  it('an error on the wire has its message as detail, with code, hint and facts beside it', () => {
    const error = notFound('no reminder "x"', { hint: 'List them first.', facts: { reminder_id: 'x' } });
    expect(toHttp(error)).toEqual({
      status: 404,
      body: {
        detail: 'no reminder "x"',
        error: {
          code: 'not_found',
          message: 'no reminder "x"',
          hint: 'List them first.',
          facts: { reminder_id: 'x' },
        },
      },
    });
  });

  it('an error on the wire has field issues or a structured refusal as detail, and not again in facts', () => {
    const issues = [{ type: 'missing', loc: ['body', 'x'], msg: 'is required', input: null }];
    expect(toHttp(invalid('x is required', { facts: { issues } })).body).toEqual({
      detail: issues,
      error: { code: 'invalid', message: 'x is required' },
    });
    expect(toHttp(invalid('no', { facts: { detail: { sent: false } } })).body.detail).toEqual({
      sent: false,
    });
  });

  it('reveals nothing about an internal failure', () => {
    for (const thrown of [
      new Error('/home/me/.token is abc'),
      internal('secret'),
      'secret',
      null,
      undefined,
    ]) {
      const { status, body } = toHttp(thrown);
      expect(status).toBe(500);
      expect(JSON.stringify(body)).not.toMatch(/secret|token is/);
      expect(JSON.stringify(toJsonRpc(thrown))).not.toMatch(/secret|token is/);
    }
  });

  it('an error on the wire keeps its code, detail and hint over JSON-RPC', () => {
    expect(toJsonRpc(notFound('none', { hint: 'h' }))).toEqual({
      code: -32044,
      message: 'none',
      data: { detail: 'none', code: 'not_found', message: 'none', hint: 'h' },
    });
  });
});
