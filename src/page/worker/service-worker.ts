/**
 * Receives Web Push in a browser, also while the page is closed: shows who needs the person, replaces it by what comes
 * later about the same need, and takes it away once the need is over. It stores and requests nothing, and the browser
 * runs it only for a push or a click.
 */
interface Pushed {
  /** The same for everything about one need. */
  id: string;
  title: string;
  href: string;
  over: boolean;
  /** Sent before: alert again. */
  again: boolean;
}

interface Waiting extends Event {
  waitUntil(work: Promise<unknown>): void;
}
interface PushEvent extends Waiting {
  data: { json(): unknown } | null;
}
interface ClickEvent extends Waiting {
  notification: Notification;
}
interface OpenWindow {
  url: string;
  focus(): Promise<unknown>;
  postMessage(message: unknown): void;
}
interface Worker {
  registration: ServiceWorkerRegistration;
  skipWaiting(): Promise<void>;
  clients: {
    matchAll(wanted: { type: 'window'; includeUncontrolled: true }): Promise<OpenWindow[]>;
    openWindow(address: string): Promise<unknown>;
  };
  addEventListener(type: 'install', listener: (event: Waiting) => void): void;
  addEventListener(type: 'push', listener: (event: PushEvent) => void): void;
  addEventListener(type: 'notificationclick', listener: (event: ClickEvent) => void): void;
}

const worker = self as unknown as Worker;
const HOME = '/ui/';

worker.addEventListener('install', (event) => event.waitUntil(worker.skipWaiting()));
worker.addEventListener('push', (event) => event.waitUntil(show(pushed(event.data))));
worker.addEventListener('notificationclick', (event) => event.waitUntil(open(event.notification)));

/** A browser wants something to be shown for every push, so a damaged one says the least. */
function pushed(data: PushEvent['data']): Pushed {
  let read: Record<string, unknown> = {};
  try {
    read = (data?.json() ?? {}) as Record<string, unknown>;
  } catch {
    // Said below.
  }
  const text = (name: string, otherwise: string): string =>
    typeof read[name] === 'string' && read[name] !== '' ? read[name] : otherwise;
  return {
    id: text('id', 'rouse'),
    title: text('title', 'Someone needs you'),
    href: text('href', HOME),
    over: read['over'] === true,
    again: read['again'] === true,
  };
}

async function show({ id, title, href, over, again }: Pushed): Promise<void> {
  await worker.registration.showNotification(title, {
    tag: id,
    data: href,
    silent: over,
    ...(again && !over && { renotify: true }),
  } as NotificationOptions);
  if (!over) return;
  // Browsers end Web Push that shows nothing. What was shown now replaced the notice, and both go away.
  for (const each of await worker.registration.getNotifications({ tag: id })) each.close();
}

/** Opens the need: in a page that is open already, else in a new one. */
async function open(notification: Notification): Promise<void> {
  notification.close();
  const { data } = notification as { data?: unknown };
  const href = typeof data === 'string' && /^\/ui\/(?!api\/)/.test(data) ? data : HOME;
  const all = await worker.clients.matchAll({ type: 'window', includeUncontrolled: true });
  const page = all.find(({ url }) => new URL(url).pathname.startsWith(HOME));
  if (!page) return void (await worker.clients.openWindow(href));
  page.postMessage({ open: href });
  await page.focus().catch(() => undefined);
}
