import { newUuid } from '../../base/index.ts';
import { messageBody } from '../delivery/index.ts';

/** The kind of these messages in the queue, so that they are checked again before they are sent. */
export const NUDGE_KIND = 'inbox_nudge';

export const NUDGE_KEY_PREFIX = 'inbox-nudge:';

/** A count and the names of tools. Never anything that others wrote. */
export function nudgeText(open: number): string {
  const requests = open === 1 ? '1 unhandled inbox request' : `${open} unhandled inbox requests`;
  return `You have ${requests} awaiting your response. Use list_inbox to see them and respond_request / add_request_message to act.`;
}

export function nudgeBody(open: number): Record<string, unknown> {
  return platformMessage('inbox-nudge', nudgeText(open), NUDGE_KIND);
}

export function escalationBody(requestId: string, nudges: number): Record<string, unknown> {
  const text = `Your request ${requestId} has had no answer after ${nudges} reminders. Use get_request to see it, add_request_message to ask, or cancel_request.`;
  return platformMessage('request-escalated', text, 'request_escalated');
}

function platformMessage(prefix: string, text: string, kind: string): Record<string, unknown> {
  return messageBody({ messageId: `${prefix}-${newUuid()}`, text, metadata: { source: 'platform', kind } });
}
