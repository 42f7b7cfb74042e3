import type { PagePush, PageReceipt } from '../../wire/index.ts';
import { ask, PageError } from './ask.ts';
import { goTo, isOwnPlace } from './router.ts';

const WORKER = '/ui/service-worker.js';
const SCOPE = '/ui/';
/** The number of this browser's own Web Push, as the server knows it. */
const PLACE = 'rouse.push';

export type PushState =
  | { state: 'impossible'; why: string }
  | { state: 'off'; publicKey: string; isFree: true }
  | { state: 'off'; isFree: false }
  | { state: 'on'; id: number };

function stored(): number | undefined {
  try {
    return Number(localStorage.getItem(PLACE) ?? 0) || undefined;
  } catch {
    return undefined;
  }
}

function store(id: number | undefined): void {
  try {
    if (id === undefined) localStorage.removeItem(PLACE);
    else localStorage.setItem(PLACE, String(id));
  } catch {
    // Without storage the settings show it as off; the browser receives it all the same.
  }
}

export const hasPush = (): boolean => stored() !== undefined;

function whyNot(): string | undefined {
  if (!isSecureContext) return 'Browsers allow this only over https, or on the host itself.';
  if (!('serviceWorker' in navigator) || !('PushManager' in window))
    return /iPhone|iPad/.test(navigator.userAgent)
      ? 'Add the page to your home screen first, and open it from there.'
      : 'This browser cannot do it.';
  if (Notification.permission === 'denied') return 'Your browser does not allow it here.';
  return undefined;
}

export async function pushState(): Promise<PushState> {
  const why = whyNot();
  if (why !== undefined) return { state: 'impossible', why };
  const { public_key: publicKey, is_free, devices } = await ask<PagePush>('push');
  const id = stored();
  if (id !== undefined && devices.some((each) => each.id === id) && (await subscription()))
    return { state: 'on', id };
  store(undefined);
  return publicKey !== null && is_free
    ? { state: 'off', publicKey, isFree: true }
    : { state: 'off', isFree: false };
}

const subscription = async (): Promise<PushSubscription | null> =>
  (await (await navigator.serviceWorker.getRegistration(SCOPE))?.pushManager.getSubscription()) ?? null;

/** Browsers ask the person, and only in response to a click. */
export async function turnPushOn(publicKey: string): Promise<void> {
  if ((await Notification.requestPermission()) !== 'granted')
    throw new PageError(0, 'denied', 'Your browser does not allow notifications here.');
  await navigator.serviceWorker.register(WORKER, { scope: SCOPE, updateViaCache: 'none' });
  const { pushManager } = await navigator.serviceWorker.ready;
  // One that was made with other keys would be refused.
  await (await pushManager.getSubscription())?.unsubscribe();
  const made = await pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: publicKey });
  const { endpoint, keys = {} } = made.toJSON();
  const body = {
    action_id: crypto.randomUUID(),
    ...{ endpoint, p256dh: keys['p256dh'], auth: keys['auth'], name: browserName(navigator.userAgent) },
  };
  try {
    const { ref } = await ask<PageReceipt>('push/add', { method: 'POST', body });
    store(Number(ref));
  } catch (error) {
    await made.unsubscribe();
    throw error;
  }
}

/** The browser receives nothing any more, even if the server cannot be reached. */
export async function turnPushOff(): Promise<void> {
  const id = stored();
  store(undefined);
  const registration = await navigator.serviceWorker?.getRegistration(SCOPE);
  await (await registration?.pushManager.getSubscription())?.unsubscribe();
  await registration?.unregister();
  if (id === undefined) return;
  const body = { action_id: crypto.randomUUID(), id };
  await ask('push/remove', { method: 'POST', body }).catch((error: unknown) => {
    if (!(error instanceof PageError && error.status === 404)) throw error;
  });
}

/** A click on a notice opens its need in the page that is open. */
export function followPushes(): void {
  navigator.serviceWorker?.addEventListener('message', ({ data }: MessageEvent<{ open?: unknown }>) => {
    if (typeof data?.open === 'string' && isOwnPlace(data.open)) goTo(data.open);
  });
}

/** For people who look at a list of their browsers. */
export function browserName(userAgent: string): string {
  const find = (names: readonly (readonly [RegExp, string])[], otherwise: string): string =>
    names.find(([looks]) => looks.test(userAgent))?.[1] ?? otherwise;
  return `${find(BROWSERS, 'A browser')} on ${find(SYSTEMS, 'an unknown system')}`;
}

const BROWSERS = [
  [/Firefox\//, 'Firefox'],
  [/Edg\//, 'Edge'],
  [/Chrome\//, 'Chrome'],
  [/Safari\//, 'Safari'],
] as const;
const SYSTEMS = [
  [/Android/, 'Android'],
  [/iPhone|iPad/, 'iOS'],
  [/Mac OS X/, 'macOS'],
  [/Windows/, 'Windows'],
  [/Linux/, 'Linux'],
] as const;
