import webPush from 'web-push';
import type { ChannelTargets } from '../outbox/subscription.ts';
import { readVapidKeys } from '../push/vapid-keys.ts';
import { type Notice, type Sender, type Sending, SendingFailed, TargetGone } from './channel.ts';
import { postOnce } from './post-once.ts';

/** A push service keeps a notice this long for a browser that is offline. */
const KEPT_SECONDS = 86_400;
const NO_BROWSER = 'no browser receives it; turn it on in the settings of the page';

/** Who and which kind. It never has the text of a message, whatever the subscription says. */
const payloadOf = ({ uid, kind, agent, title, href, sendings }: Notice, over: boolean) => ({
  ...{ id: uid, kind, agent, title, href, over },
  again: sendings > 0,
});

async function push({ target, notice, directory, signal }: Sending<'web-push'>, over: boolean) {
  const { device, subject } = target;
  if (device === null) throw new SendingFailed(NO_BROWSER);
  const vapid = readVapidKeys(directory);
  if (!vapid) throw new SendingFailed('its keys are gone; "rouse notify add web-push" makes new ones');
  const { endpoint, p256dh, auth } = device;
  const { headers, body } = webPush.generateRequestDetails(
    { endpoint, keys: { p256dh, auth } },
    JSON.stringify(payloadOf(notice, over)),
    {
      vapidDetails: { subject, ...vapid },
      TTL: KEPT_SECONDS,
      urgency: over ? 'normal' : 'high',
      // Of one need, a push service delivers only the last.
      topic: notice.uid.replaceAll('-', '').slice(0, 32),
    },
  );
  await postOnce({
    what: 'the push service',
    url: endpoint,
    headers: sendable(headers),
    body: body as Buffer<ArrayBuffer>,
    signal,
  }).catch((error: unknown) => {
    const { status } = error as Partial<SendingFailed>;
    if (status === 404 || status === 410)
      throw new TargetGone('the browser has ended it; turn it on again in the settings of the page');
    throw error;
  });
}

/** `fetch` sets the length itself. */
const sendable = (headers: Record<string, unknown>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers)
      .filter(([name]) => name !== 'Content-Length')
      .map(([name, value]) => [name, String(value)]),
  );

export const WEB_PUSH: Sender<'web-push'> = {
  async send(sending) {
    await push(sending, false);
    return null;
  },
  takeBack: (sending) => push(sending, true),
  async check(target, directory) {
    if (!readVapidKeys(directory)) throw new SendingFailed('its keys are gone');
    return deviceWords(target);
  },
};

const deviceWords = ({ device }: ChannelTargets['web-push']): string =>
  device === null
    ? 'waits for a browser: turn it on in the settings of the page'
    : `${device.name} of ${device.person}, by ${new URL(device.endpoint).host}`;
