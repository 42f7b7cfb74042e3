import { Webhook } from 'standardwebhooks';
import type { Sender, Sending } from './channel.ts';
import { postOnce } from './post-once.ts';
import { WEBHOOK_BODIES } from './webhook-bodies.ts';

type Sent = Sending<'webhook'>;

async function post(sending: Sent, event: 'need.opened' | 'need.over'): Promise<void> {
  const { target, notice, now, signal } = sending;
  const body = WEBHOOK_BODIES[target.format](notice, event, target);
  if (body === undefined) return;
  const text = JSON.stringify(body);
  const id = event === 'need.opened' ? `${notice.uid}-${notice.sendings + 1}` : `${notice.uid}-over`;
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'rouse',
    ...(target.format === 'standard' && signed({ id, now, text, secret: target.secret })),
  };
  await postOnce({ what: 'the webhook', url: target.url, headers, body: text, signal });
}

function signed(on: { id: string; now: Date; text: string; secret: string }): Record<string, string> {
  return {
    'webhook-id': on.id,
    'webhook-timestamp': String(Math.floor(on.now.getTime() / 1000)),
    'webhook-signature': new Webhook(on.secret).sign(on.id, on.now, on.text),
  };
}

export const WEBHOOK: Sender<'webhook'> = {
  async send(sending) {
    await post(sending, 'need.opened');
    return null;
  },
  takeBack: (sending) => post(sending, 'need.over'),
  async check({ url, format }) {
    const { protocol, host } = new URL(url);
    const open = protocol === 'http:' ? ', not encrypted' : '';
    return `${format} at ${host}${open}`;
  },
};
