import type { PageSession } from '../../wire/index.ts';
import { ask, hasSession, keepSession, PageError } from './ask.ts';

/** The one-time code in the address. It is removed from the address at once, so that history and bookmarks do not keep it. */
function takeCode(): string | undefined {
  const code = new URLSearchParams(location.hash.slice(1)).get('code');
  if (code === null) return undefined;
  history.replaceState(history.state, '', location.pathname + location.search);
  return code;
}

/** Opening a new link in a tab that shows the page changes only the part after the #. */
export function followNewLinks(): void {
  addEventListener('hashchange', () => {
    if (new URLSearchParams(location.hash.slice(1)).has('code')) location.reload();
  });
}

/** The session of this page; undefined: not logged in. */
export async function openSession(): Promise<PageSession | undefined> {
  const code = takeCode();
  const session = code === undefined ? await running() : await exchange(code);
  keepSession(session);
  return session;
}

async function exchange(code: string): Promise<PageSession | undefined> {
  try {
    return await ask<PageSession>('session', { method: 'POST', body: { code } });
  } catch (error) {
    // The link was opened a second time in a browser that is already logged in.
    const before = await running();
    if (before) return before;
    throw error;
  }
}

async function running(): Promise<PageSession | undefined> {
  if (!hasSession()) return undefined;
  try {
    return await ask<PageSession>('session');
  } catch (error) {
    if (error instanceof PageError && [401, 403].includes(error.status)) return undefined;
    throw error;
  }
}

export async function leaveSession(): Promise<void> {
  await ask('session', { method: 'DELETE' }).catch(() => undefined);
  keepSession(undefined);
}
