import type { PageChange, PageHello } from '../../wire/index.ts';
import { askRaw, PageError } from '../model/ask.ts';
import { waited } from '../model/clock.ts';
import { readEvents, type ServerEvent } from '../model/events.ts';
import { live, receiveChange, receiveHello, refresh, setConnection } from './live.ts';
import { broadcast } from './tabs.ts';

/** The server sends something at least every 5 seconds. After this silence the page no longer says that it is live. */
export const SILENCE_MS = 11_000;
const SHORTEST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 10_000;

/** Keeps the one stream of this browser open until the signal, also across restarts of the server. */
export async function holdStream(signal: AbortSignal): Promise<void> {
  let pause = SHORTEST_PAUSE_MS;
  while (!signal.aborted) {
    const began = Date.now();
    try {
      if (!live.get().picture) await refresh();
      await listenOnce(signal);
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof PageError && error.status === 401) {
        setConnection('ended');
        broadcast({ kind: 'state', state: 'ended' });
        return;
      }
    }
    if (signal.aborted) return;
    setConnection('lost');
    broadcast({ kind: 'state', state: 'lost' });
    pause = Date.now() - began > SILENCE_MS ? SHORTEST_PAUSE_MS : Math.min(pause * 2, LONGEST_PAUSE_MS);
    await waited(pause * (0.7 + 0.6 * Math.random()), signal);
  }
}

async function listenOnce(signal: AbortSignal): Promise<void> {
  const silence = new AbortController();
  const both = AbortSignal.any([signal, silence.signal]);
  let watchdog: ReturnType<typeof setTimeout> | undefined;
  const restartWatchdog = () => {
    clearTimeout(watchdog);
    watchdog = setTimeout(() => silence.abort(), SILENCE_MS);
  };
  restartWatchdog();
  try {
    const response = await askRaw('events', {
      query: { after: live.get().picture?.seq },
      headers: { accept: 'text/event-stream' },
      signal: both,
    });
    if (!response.body) return;
    for await (const event of readEvents(response.body)) {
      restartWatchdog();
      await receive(event);
    }
  } finally {
    clearTimeout(watchdog);
  }
}

async function receive({ event, data }: ServerEvent): Promise<void> {
  if (event === 'change') {
    const change = JSON.parse(data) as PageChange;
    broadcast({ kind: 'change', change });
    receiveChange(change);
  } else if (event === 'hello') {
    const hello = JSON.parse(data) as PageHello;
    broadcast({ kind: 'hello', hello });
    await receiveHello(hello);
  } else if (event === 'resync') {
    broadcast({ kind: 'resync' });
    await refresh();
    setConnection('live');
  } else {
    broadcast({ kind: 'state', state: 'live' });
    setConnection('live');
  }
}
