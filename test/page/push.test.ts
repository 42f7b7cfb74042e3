import type { Browser, CDPSession, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { systemClock } from '../../src/base/index.ts';
import { Outbox } from '../../src/notices/index.ts';
import { noticeFiles } from '../../src/wire/index.ts';
import { openBrowser, Visitor } from './support/browser.ts';
import { ShownWorld } from './support/shown-world.ts';

/**
 * Web Push in a real browser: installed, turned on by a click, shown, replaced, taken away and opened. Only the push
 * service of its vendor is absent: the browser would ask it for an address, so the test hands one out.
 */
let world: ShownWorld;
let browser: Browser;
let visitor: Visitor;
let page: Page;

beforeAll(async () => {
  [world, browser] = await Promise.all([ShownWorld.open(), openBrowser()]);
  await world.launch('ana');
  visitor = await Visitor.come(browser, { width: 1280, theme: 'light' }, world.origin);
  await visitor.context.grantPermissions(['notifications'], { origin: world.origin });
  await visitor.context.addInitScript(handOutAddress);
  page = await visitor.tab(await world.link());
  await page.locator('[data-live="live"]').waitFor();
}, 240_000);
afterAll(async () => {
  await browser?.close();
  await world?.world.rouse(['host', 'stop']);
  await world?.close();
});

/** Runs in the page. */
function handOutAddress(): void {
  let made: object | null = null;
  const key = (bytes: number) => 'B'.repeat(Math.ceil((bytes * 4) / 3));
  PushManager.prototype.subscribe = async (options) => {
    if (typeof options?.applicationServerKey !== 'string') throw new Error('no key');
    made = {
      toJSON: () => ({
        endpoint: 'https://fcm.googleapis.com/fcm/send/x',
        keys: { p256dh: key(65), auth: key(16) },
      }),
      unsubscribe: async () => {
        made = null;
        return true;
      },
    };
    return made as PushSubscription;
  };
  PushManager.prototype.getSubscription = async () => made as PushSubscription | null;
}

const settings = async () => {
  await page.getByRole('button', { name: 'Settings' }).click();
  return page.getByRole('switch', { name: 'Also when the page is closed' });
};
const closeSettings = () => page.keyboard.press('Escape');
const stored = () => {
  const { directory } = noticeFiles(world.world.context.settings.runtimeDir);
  const outbox = new Outbox({ directory, clock: systemClock });
  try {
    return outbox.subscriptions().map(({ channel, target }) => ({ channel, target }));
  } finally {
    outbox.close();
  }
};

it('the page is an app that can be installed', async () => {
  const cdp = await page.context().newCDPSession(page);
  const { errors, data, url } = await cdp.send('Page.getAppManifest');
  expect(errors).toEqual([]);
  const { scope, start_url, icons } = JSON.parse(data!);
  expect([scope, start_url]).toEqual(['/ui/', '/ui/']);
  expect(url).toContain('/ui/assets/manifest-');
  for (const { src, sizes } of icons) {
    const drawn = await page.evaluate(async (address: string) => {
      const image = new Image();
      image.src = address;
      await image.decode();
      return `${image.naturalWidth}x${image.naturalHeight}`;
    }, src);
    expect(drawn).toBe(sizes);
  }
  const { installabilityErrors } = await cdp.send('Page.getInstallabilityErrors');
  expect(installabilityErrors.filter(({ errorId }) => errorId !== 'in-incognito')).toEqual([]);
  await cdp.detach();
});

it('a browser is added by a click, once the owner has added Web Push', async () => {
  const before = await settings();
  await page.getByText('rouse notify add web-push').waitFor();
  expect(await before.isDisabled()).toBe(true);
  await closeSettings();
  expect(
    await page.evaluate(() => navigator.serviceWorker.getRegistrations().then((all) => all.length)),
  ).toBe(0);
  await world.world.json('notify', 'add', 'web-push', '--after', '0s');
  const on = await settings();
  await expect.poll(() => on.isEnabled(), { timeout: 30_000 }).toBe(true);
  await on.click();
  await expect.poll(() => on.getAttribute('aria-checked'), { timeout: 30_000 }).toBe('true');
  expect(stored()).toMatchObject([
    { channel: 'web-push', target: { device: { person: 'operator', name: 'Chrome on Linux' } } },
  ]);
  const { subscriptions } = await world.world.json('notify', 'list');
  expect(subscriptions[0]).toMatchObject({ to: 'Chrome on Linux of operator' });
  expect(JSON.stringify(subscriptions)).not.toContain('fcm.googleapis.com');
  await closeSettings();
});

it('a push is shown, replaced by the next of the same need and taken away, and a click opens the need', async () => {
  const worker = await workerOf(page);
  const need = {
    id: 'need-1',
    kind: 'dialog',
    agent: 'ana',
    title: 'ana asks you something',
    href: '/ui/agents/ana',
  };
  await worker.push({ ...need, over: false, again: false });
  await expect.poll(shown, { timeout: 30_000 }).toEqual(['need-1: ana asks you something']);
  await worker.push({ ...need, title: 'ana still asks you', over: false, again: true });
  await expect.poll(shown, { timeout: 30_000 }).toEqual(['need-1: ana still asks you']);
  await worker.push({
    ...need,
    id: 'need-2',
    title: '<b>ben</b> asks',
    href: 'https://example.org/',
    over: false,
    again: false,
  });
  await expect.poll(shown, { timeout: 30_000 }).toHaveLength(2);
  await click('need-2');
  expect(new URL(page.url()).pathname).toBe('/ui/');
  await click('need-1');
  await page.waitForURL('**/ui/agents/ana');
  await expect.poll(shown, { timeout: 30_000 }).toEqual([]);
  await worker.push({ ...need, over: false, again: false });
  await expect.poll(shown, { timeout: 30_000 }).toHaveLength(1);
  await worker.push({ ...need, over: true, again: false });
  await expect.poll(shown, { timeout: 30_000 }).toEqual([]);
  await worker.push('not what Rouse sends');
  await expect.poll(shown, { timeout: 30_000 }).toEqual(['rouse: Someone needs you']);
  expect(visitor.problems).toEqual([]);
});

it('what is turned off, or revoked by the owner, receives nothing any more', async () => {
  const off = await settings();
  await expect.poll(() => off.getAttribute('aria-checked'), { timeout: 30_000 }).toBe('true');
  await off.click();
  await expect.poll(() => off.getAttribute('aria-checked'), { timeout: 30_000 }).toBe('false');
  expect(stored()).toMatchObject([{ target: { device: null } }]);
  await off.click();
  await expect.poll(() => off.getAttribute('aria-checked'), { timeout: 30_000 }).toBe('true');
  const revoked = await fetch(`${world.origin}/ui/api/revoke`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'operator' }),
  });
  expect(await revoked.json()).toMatchObject({ sessions: 1, devices: 1 });
  expect(stored()).toMatchObject([{ target: { device: null } }]);
});

const shown = (): Promise<string[]> =>
  page.evaluate(async () => {
    const registration = await navigator.serviceWorker.getRegistration('/ui/');
    const all = (await registration?.getNotifications()) ?? [];
    return all.map(({ tag, title }) => `${tag}: ${title}`);
  });

/** As a person clicks: the browser calls the worker with the notification. */
async function click(tag: string): Promise<void> {
  const [worker] = visitor.context.serviceWorkers();
  await worker!.evaluate(async (wanted: string) => {
    const { registration } = self as unknown as { registration: ServiceWorkerRegistration };
    const [notification] = await registration.getNotifications({ tag: wanted });
    const { NotificationEvent } = self as unknown as {
      NotificationEvent: new (type: string, of: { notification: Notification }) => Event;
    };
    self.dispatchEvent(new NotificationEvent('notificationclick', { notification: notification! }));
  }, tag);
}

async function workerOf(of: Page) {
  const cdp: CDPSession = await of.context().newCDPSession(of);
  const found = new Promise<string>((resolve) =>
    cdp.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
      const own = registrations.find(({ scopeURL }) => scopeURL === `${world.origin}/ui/`);
      if (own) resolve(own.registrationId);
    }),
  );
  await cdp.send('ServiceWorker.enable');
  const registrationId = await found;
  return {
    push: (data: unknown) =>
      cdp.send('ServiceWorker.deliverPushMessage', {
        origin: world.origin,
        registrationId,
        data: typeof data === 'string' ? data : JSON.stringify(data),
      }),
  };
}
