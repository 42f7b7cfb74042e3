import { useEffect, useState } from 'react';
import type { PageScreen, PageTrouble } from '../../wire/index.ts';
import { agentAt } from '../live/queries.ts';
import { ask, askRaw, PageError } from '../model/ask.ts';
import { waited } from '../model/clock.ts';
import { readEvents } from '../model/events.ts';

const AFTER_TROUBLE_MS = 3000;

interface SeenScreen {
  screen: PageScreen | undefined;
  error: unknown;
}

type SetScreen = (next: (seen: SeenScreen) => SeenScreen) => void;

/** What an agent's screen shows, while the page is visible. */
export function useScreen(name: string): SeenScreen {
  const [seen, setSeen] = useState<SeenScreen>({ screen: undefined, error: undefined });
  useEffect(() => {
    const looking = new AbortController();
    const look = async (): Promise<void> => {
      while (!looking.signal.aborted) {
        await whileHidden(looking.signal);
        const hidden = whenHidden(looking.signal);
        try {
          const signal = AbortSignal.any([looking.signal, hidden]);
          await inSlot((isFree) => (isFree ? follow : glance)(name, setSeen, signal));
        } catch (error) {
          if (hidden.aborted) continue;
          setSeen(({ screen }) => ({ screen, error }));
          if (error instanceof PageError && error.status === 401) return;
        }
        await waited(AFTER_TROUBLE_MS, looking.signal);
      }
    };
    void look();
    return () => looking.abort();
  }, [name]);
  return seen;
}

/** A browser allows six connections per origin, over all windows. Some must stay free for other requests. */
const STREAMS = 3;

async function inSlot<T>(look: (isFree: boolean) => Promise<T>, slot = 0): Promise<T> {
  if (!navigator.locks) return look(true);
  if (slot === STREAMS) return look(false);
  return navigator.locks.request(`rouse-screen-${slot}`, { ifAvailable: true }, (lock) =>
    lock ? look(true) : inSlot(look, slot + 1),
  );
}

/** One capture, when too many windows already follow a screen. */
async function glance(name: string, set: SetScreen, signal: AbortSignal): Promise<void> {
  const screen = await ask<PageScreen>(`${agentAt(name)}/screen`, { signal });
  set(() => ({ screen, error: undefined }));
}

/** One stream while the screen is shown; the server sends only changes. */
async function follow(name: string, set: SetScreen, signal: AbortSignal): Promise<void> {
  const response = await askRaw(`${agentAt(name)}/screen`, {
    headers: { accept: 'text/event-stream' },
    signal,
  });
  if (!response.body) return;
  for await (const { event, data } of readEvents(response.body)) {
    if (signal.aborted) return;
    if (event === 'screen') {
      const screen = JSON.parse(data) as PageScreen;
      set(() => ({ screen, error: undefined }));
    } else if (event === 'same') {
      const { captured_at_utc } = JSON.parse(data) as Pick<PageScreen, 'captured_at_utc'>;
      set(({ screen }) => ({ screen: screen && { ...screen, captured_at_utc }, error: undefined }));
    } else if (event === 'trouble') {
      const { status, code, message, hint } = JSON.parse(data) as PageTrouble;
      set(({ screen }) => ({ screen, error: new PageError(status, code, message, hint) }));
    }
  }
}

/** No screen is captured for a hidden tab. */
function whileHidden(signal: AbortSignal): Promise<void> {
  if (!document.hidden) return Promise.resolve();
  return new Promise((done) => {
    document.addEventListener('visibilitychange', () => done(), { once: true, signal });
    signal.addEventListener('abort', () => done());
  });
}

function whenHidden(signal: AbortSignal): AbortSignal {
  const hidden = new AbortController();
  document.addEventListener('visibilitychange', () => document.hidden && hidden.abort(), { signal });
  return hidden.signal;
}
