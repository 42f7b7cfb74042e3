import type { Channel } from '../../domain/index.ts';
import type { Sender } from './channel.ts';

/** Each channel, with its library, is loaded when it is first used. */
const LOAD: { [C in Channel]: () => Promise<Sender<C>> } = {
  'status-line': async () => (await import('./status-line.ts')).STATUS_LINE,
  desktop: async () => (await import('./desktop.ts')).DESKTOP,
  'web-push': async () => (await import('./web-push.ts')).WEB_PUSH,
  webhook: async () => (await import('./webhook.ts')).WEBHOOK,
  email: async () => (await import('./email.ts')).EMAIL,
};

export const senderOf = (channel: Channel): Promise<Sender> => LOAD[channel]() as Promise<Sender>;
