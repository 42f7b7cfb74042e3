import { Webhook } from 'standardwebhooks';
import { messageOf } from '../../base/index.ts';
import { type Sender, type Sending, SendingFailed } from './channel.ts';
import { WEBHOOK_BODIES } from './webhook-bodies.ts';

const PATIENCE_MS = 10_000;
const MAX_RETRY_AFTER_MS = 3_600_000;

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
  const response = await fetchOnce(
    target.url,
    { method: 'POST', headers, body: text, redirect: 'manual' },
    signal,
  );
  await response.body?.cancel().catch(() => {});
  if (response.ok) return;
  if (response.status >= 300 && response.status < 400)
    throw new SendingFailed(`the webhook redirects (${response.status}), and redirects are not followed`);
  throw new SendingFailed(`the webhook returned ${response.status}`, retryAfter(response));
}

/** The request may not outlive its patience, whatever the receiver does. Errors never show the URL: it may be a secret. */
async function fetchOnce(url: string, init: RequestInit, signal: AbortSignal): Promise<Response> {
  const patience = AbortSignal.timeout(PATIENCE_MS);
  try {
    return await fetch(url, { ...init, signal: AbortSignal.any([signal, patience]) });
  } catch (error) {
    if (patience.aborted)
      throw new SendingFailed(`the webhook did not respond within ${PATIENCE_MS / 1000} s`);
    const { cause } = error as { cause?: unknown };
    const code = (cause as { code?: unknown } | undefined)?.code;
    throw new SendingFailed(
      `the webhook cannot be reached: ${typeof code === 'string' ? code : messageOf(error).replaceAll(url, 'its URL')}`,
    );
  }
}

function signed(on: { id: string; now: Date; text: string; secret: string }): Record<string, string> {
  return {
    'webhook-id': on.id,
    'webhook-timestamp': String(Math.floor(on.now.getTime() / 1000)),
    'webhook-signature': new Webhook(on.secret).sign(on.id, on.now, on.text),
  };
}

function retryAfter({ headers }: Response): number | undefined {
  const seconds = Number(headers.get('retry-after') ?? Number.NaN);
  return Number.isFinite(seconds) && seconds >= 0 ? Math.min(MAX_RETRY_AFTER_MS, seconds * 1000) : undefined;
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
