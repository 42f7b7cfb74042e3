import { type Part, Role, type SendMessageRequest } from '@a2a-js/sdk';
import { ContentTypeNotSupportedError } from '@a2a-js/sdk/errors';
import { invalid } from '../../base/index.ts';
import type { Sending } from './send.ts';

const MAX_ID_LENGTH = 200;
const MAX_PARTS = 100;

/** Returns the parts of a message that we use: its text and its ids. Nothing else is kept. */
export function messageOfRequest({ message }: SendMessageRequest): Sending & { taskId: string | undefined } {
  if (!message) throw invalid('params.message is missing');
  if (message.role !== Role.ROLE_USER) throw invalid('the role of a message to an agent is "user"');
  if (message.parts.length > MAX_PARTS) throw invalid(`a message has at most ${MAX_PARTS} parts`);
  const messageId = named(message.messageId, 'messageId');
  if (messageId === undefined) throw invalid('message.messageId is missing');
  return {
    text: message.parts.map(textOf).join('\n'),
    messageId,
    contextId: named(message.contextId, 'contextId'),
    taskId: message.taskId || undefined,
  };
}

function textOf({ content }: Part, index: number): string {
  if (content?.$case === 'text') return content.value;
  throw new ContentTypeNotSupportedError(
    `part ${index} is ${content ? `of the kind "${content.$case}"` : 'empty'}; this agent takes text only`,
  );
}

/** Checks an id that the client chose: one line, not too long. */
function named(id: string | undefined, field: string): string | undefined {
  if (id === undefined || id === '') return undefined;
  if (id.length > MAX_ID_LENGTH || /[\p{Cc}\p{Cs}\u2028\u2029]/u.test(id)) {
    throw invalid(`message.${field} must be one line of at most ${MAX_ID_LENGTH} characters`);
  }
  return id;
}
