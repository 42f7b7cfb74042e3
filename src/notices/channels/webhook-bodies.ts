import type { WebhookFormat } from '../../domain/index.ts';
import type { ChannelTargets } from '../outbox/subscription.ts';
import type { Notice } from './channel.ts';

export type WebhookEvent = 'need.opened' | 'need.over';

type Body = (
  notice: Notice,
  event: WebhookEvent,
  target: ChannelTargets['webhook'],
) => Record<string, unknown> | undefined;

const lines = ({ title, text, command }: Notice): string =>
  [title, ...(text === null ? [] : [text]), ...(command === null ? [] : [command])].join('\n');

/** A chat only gets what opens: what was posted there stays, so a second message would be noise. */
const chat =
  (
    body: (text: string, target: ChannelTargets['webhook'], notice: Notice) => Record<string, unknown>,
  ): Body =>
  (notice, event, target) =>
    event === 'need.opened' ? body(lines(notice), target, notice) : undefined;

/** What each receiver expects. */
export const WEBHOOK_BODIES: { [F in WebhookFormat]: Body } = {
  standard: ({ uid, kind, agent, title, text, command, href, sinceUtc, sendings }, event) => ({
    type: event,
    timestamp: sinceUtc,
    data: {
      notice_id: uid,
      kind,
      agent,
      title,
      ...(text !== null && { text }),
      command,
      href,
      repeat: sendings,
    },
  }),
  // Slack would otherwise take <!channel> and the like as its own.
  slack: chat((text) => ({ text: text.replace(/[&<>]/g, (each) => SLACK[each]!) })),
  discord: chat((text) => ({ content: text, allowed_mentions: { parse: [] } })),
  ntfy: chat((text, { chat: topic }, { title }) => ({
    topic,
    title,
    message: text,
    tags: ['robot'],
  })),
  telegram: chat((text, { chat: chatId }) => ({ chat_id: chatId, text })),
};

const SLACK: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };
