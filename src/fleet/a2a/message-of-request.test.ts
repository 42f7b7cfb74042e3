import { type Part, Role, type SendMessageRequest } from '@a2a-js/sdk';
import { expect, it } from 'vitest';
import { messageOfRequest } from './message-of-request.ts';

const text = (value: string): Part => ({
  content: { $case: 'text', value },
  metadata: undefined,
  filename: '',
  mediaType: '',
});

const request = (message: object): SendMessageRequest =>
  ({
    message: {
      messageId: 'm-1',
      contextId: '',
      taskId: '',
      role: Role.ROLE_USER,
      parts: [text('hello')],
      ...message,
    },
  }) as unknown as SendMessageRequest;

it('an A2A message is its text parts, one per line, and the ids that the client chose', () => {
  expect(
    messageOfRequest(request({ parts: [text('a'), text('b')], contextId: 'c-1', taskId: 't-1' })),
  ).toEqual({
    text: 'a\nb',
    messageId: 'm-1',
    contextId: 'c-1',
    taskId: 't-1',
  });
  expect(messageOfRequest(request({}))).toMatchObject({ contextId: undefined, taskId: undefined });
});

it.each([
  [{ messageId: '' }, 'message.messageId is missing'],
  [{ messageId: 'a\nb' }, 'message.messageId must be one line'],
  [{ contextId: 'x'.repeat(201) }, 'message.contextId must be one line of at most 200 characters'],
  [{ role: Role.ROLE_AGENT }, 'the role of a message to an agent is "user"'],
  [{ role: Role.ROLE_UNSPECIFIED }, 'the role of a message to an agent is "user"'],
  [{ parts: Array.from({ length: 101 }, () => text('x')) }, 'at most 100 parts'],
  [{ parts: [text('x'), { content: { $case: 'url', value: 'http://x' } }] }, 'part 1 is of the kind "url"'],
  [{ parts: [{}] }, 'part 0 is empty'],
])('the A2A message %j is refused', (message, problem) => {
  expect(() => messageOfRequest(request(message))).toThrow(problem);
});

it('an A2A request without a message is refused', () => {
  expect(() => messageOfRequest({} as SendMessageRequest)).toThrow('params.message is missing');
});
