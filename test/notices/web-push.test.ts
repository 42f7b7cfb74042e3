import * as fs from 'node:fs';
import * as path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { silentLog, systemClock } from '../../src/base/index.ts';
import {
  addDevice,
  devicesOf,
  ensureVapidKeys,
  NoticeOwner,
  Outbox,
  removeDevices,
  type SeenNeed,
  SUBSCRIPTION_DEFAULTS,
} from '../../src/notices/index.ts';
import { noticesPlace, seenNeed } from '../../src/notices/notices.testing.ts';
import { PushService } from './support/push-service.ts';

/** A push service that verifies and decrypts: who and which kind, taken back, and a browser that has ended it. */
let place: ReturnType<typeof noticesPlace>;
let outbox: Outbox;
let owner: NoticeOwner;
let service: PushService;
let needs: SeenNeed[] = [];

beforeEach(async () => {
  place = noticesPlace();
  needs = [];
  outbox = new Outbox({ directory: place.directory, clock: systemClock });
  service = await PushService.start();
  owner = new NoticeOwner({
    ...{ owner: 'host', directory: place.directory, clock: systemClock, log: silentLog },
    source: { start() {}, stop() {}, look: async () => ({ needs, isUnsure: () => false }) },
  });
});
afterEach(async () => {
  await owner.stop();
  await service.stop();
  outbox.close();
  place.remove();
});

const add = (more = {}) =>
  outbox.add(
    'web-push',
    { subject: 'mailto:ana@example.org', device: null },
    { ...SUBSCRIPTION_DEFAULTS, after_seconds: 0, ...more },
  );
const show = (...now: SeenNeed[]): void => {
  needs = now;
  owner.wake();
};
const until = async (look: () => boolean): Promise<void> => {
  while (!look()) await new Promise((resolve) => setTimeout(resolve, 20));
};
const request = (key: string): SeenNeed => seenNeed({ key, kind: 'request', words: 'a secret' });

it('a browser gets who and which kind, signed and encrypted, and the same notice again to take it away', async () => {
  const { publicKey } = await ensureVapidKeys(place.directory);
  expect(await ensureVapidKeys(place.directory)).toMatchObject({ publicKey });
  expect(fs.statSync(path.join(place.directory, 'vapid.json')).mode & 0o777).toBe(0o600);
  const fresh = path.join(place.directory, 'not', 'made');
  expect((await ensureVapidKeys(fresh)).publicKey).not.toBe(publicKey);
  add({ text: true });
  expect(addDevice(outbox, await service.browser(publicKey))).toBe(1);
  owner.start();
  show(request('request:1'));
  await until(() => service.received.length === 1);
  const { notice } = outbox.open(1)[0]!;
  expect(service.received[0]).toEqual({
    ...{ id: notice.uid, kind: 'request', agent: 'ana', title: 'ana sent you a request' },
    ...{ href: '/agents/ana', over: false, again: false },
  });
  show();
  await until(() => service.received.length === 2);
  expect(service.received[1]).toMatchObject({ id: notice.uid, over: true });
  expect(JSON.stringify(service.received)).not.toContain('secret');
});

it('before a browser turns it on nothing is sent or runs, and then it gets what is open', async () => {
  const { publicKey } = await ensureVapidKeys(place.directory);
  const { id } = add();
  owner.start();
  expect(owner.isNeeded).toBe(false);
  outbox.record('host', { needs: [request('request:1')], isUnsure: () => false });
  expect(outbox.open(id)).toEqual([]);
  addDevice(outbox, await service.browser(publicKey));
  expect(owner.isNeeded).toBe(true);
  show(request('request:1'));
  await until(() => service.received.length === 1);
});

it('a browser that has ended it is forgotten at once, the reason is kept, and another may take its place', async () => {
  const { publicKey } = await ensureVapidKeys(place.directory);
  add();
  addDevice(outbox, await service.browser(publicKey));
  owner.start();
  service.end();
  show(request('request:1'));
  await until(() => outbox.subscription(1)!.failure !== null);
  await until(() => devicesOf(outbox, 'operator').own.length === 0);
  expect(outbox.subscription(1)!.failure).toContain('the browser has ended it');
  // What waited goes to the next browser.
  expect(addDevice(outbox, await service.browser(publicKey))).toBe(1);
  outbox.db.run('UPDATE notices SET next_try_at_ms = NULL');
  show(request('request:1'));
  await until(() => service.received.length === 1);
  expect(outbox.subscription(1)!.failure).toBeNull();
});

it('a message with another signature is refused, and the browser keeps its place', async () => {
  await ensureVapidKeys(place.directory);
  const { default: webPush } = await import('web-push');
  add();
  addDevice(outbox, await service.browser(webPush.generateVAPIDKeys().publicKey));
  owner.start();
  show(request('request:1'));
  await until(() => outbox.subscription(1)!.failure !== null);
  expect(outbox.subscription(1)!.failure).toBe('the push service returned 400');
  expect([service.received, devicesOf(outbox, 'operator').own.length]).toEqual([[], 1]);
});

it('each subscription takes one browser, of the person it is for, and only they may remove it', async () => {
  const { publicKey } = await ensureVapidKeys(place.directory);
  add({ who: 'eve' });
  const browser = await service.browser(publicKey);
  const [mine, hers] = [browser, { ...browser, person: 'eve', endpoint: `${browser.endpoint}-2` }];
  expect([addDevice(outbox, mine), devicesOf(outbox, 'operator').isFree]).toEqual([undefined, false]);
  expect([addDevice(outbox, hers), addDevice(outbox, hers)]).toEqual([1, 1]);
  expect(addDevice(outbox, { ...hers, endpoint: `${hers.endpoint}-3` })).toBeUndefined();
  expect(removeDevices(outbox, ({ person }) => person === 'operator')).toBe(0);
  expect(removeDevices(outbox, ({ person }) => person === 'eve')).toBe(1);
  expect(devicesOf(outbox, 'eve')).toEqual({ own: [], isFree: true });
});
