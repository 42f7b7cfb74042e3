import { RequestMalformedError, TaskNotFoundError, UnsupportedOperationError } from '@a2a-js/sdk/errors';
import { expect, it } from 'vitest';
import { createLog, forbidden, invalid, notFound, systemClock } from '../../base/index.ts';
import { refusal } from '../../wire/index.ts';
import { toA2aError } from './a2a-errors.ts';

function mapped(thrown: unknown) {
  const lines: string[] = [];
  const error = toA2aError(thrown, createLog({ clock: systemClock, write: (line) => lines.push(line) }));
  return { error, lines };
}

it('errors with a counterpart in A2A become that error, with the hint in the message', () => {
  expect(mapped(notFound('there is no task', { hint: 'list them' })).error).toBeInstanceOf(TaskNotFoundError);
  expect(mapped(notFound('there is no task', { hint: 'list them' })).error.message).toBe(
    'there is no task; list them',
  );
  expect(mapped(invalid('bad')).error).toBeInstanceOf(RequestMalformedError);
  expect(mapped(refusal('mail_unsupported', 'no')).error).toBeInstanceOf(UnsupportedOperationError);
});

it('an error of A2A passes through unchanged', () => {
  const own = new TaskNotFoundError({ message: 'gone' });
  expect(mapped(own).error).toBe(own);
});

it('other errors become a JSON-RPC error; an internal one is logged and reveals nothing', () => {
  expect(mapped(forbidden('not yours'))).toMatchObject({ error: { message: 'not yours' }, lines: [] });
  const { error, lines } = mapped(new Error('password is hunter2'));
  expect(error.message).not.toContain('hunter2');
  expect(lines.join()).toContain('hunter2');
});
