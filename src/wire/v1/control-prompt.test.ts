import { expect, it } from 'vitest';
import { toHttp } from '../codes.ts';
import { parseBody } from '../parse-body.ts';
import {
  controlPromptBody,
  promptAdmission,
  promptRefusal,
  promptRefused,
  promptResult,
  promptSent,
} from './control-prompt.ts';
import { errorBody } from './error-body.ts';

it.each([
  [{}, 1, 'ready_only'],
  [{ force: false }, 1, 'ready_only'],
  [{ force: true }, 1, 'always'],
  [{ schema_version: 1, force: true }, 1, 'always'],
  [{ schema_version: 2 }, 2, 'ready_only'],
  [{ admission_policy: 'if_no_pending' }, 2, 'if_no_pending'],
  [{ schema_version: 2, admission_policy: 'always' }, 2, 'always'],
])('the body %j has dialect %s and admission %s', (body, dialect, policy) => {
  const parsed = parseBody(controlPromptBody, { prompt: 'x', ...body });
  expect(promptAdmission(parsed)).toEqual({ dialect, policy });
});

it('the response to a prompt uses the dialect of the request', () => {
  expect(promptSent({ dialect: 1, policy: 'always' })).toEqual({
    status: 'ok',
    action: 'submit_prompt',
    sent: true,
    forced: true,
    detail: 'Prompt dispatched.',
  });
  const second = promptSent({ dialect: 2, policy: 'if_no_pending' }, { turn_id: 'turn-1' });
  expect(second).toMatchObject({ admission_policy: 'if_no_pending', turn_id: 'turn-1' });
  expect(second).not.toHaveProperty('forced');
  expect(promptResult.parse(second)).toEqual(second);
});

it('a refused prompt has its structured object as detail and the status of its error_code', () => {
  const reasons = ["turn.phase='active'"];
  const error = promptRefusal(
    { dialect: 1, policy: 'ready_only' },
    'not_ready',
    'the agent is busy',
    reasons,
  );
  const { status, body } = toHttp(error);
  expect(status).toBe(409);
  expect(body.detail).toEqual({
    status: 'error',
    action: 'submit_prompt',
    sent: false,
    forced: false,
    error_code: 'not_ready',
    detail: 'the agent is busy',
    reasons,
  });
  expect(promptRefused.safeParse(body.detail).success).toBe(true);
  expect(errorBody.safeParse(body).success).toBe(true);
  expect(error.code).toBe('not_ready');
});
