import type { PageChange, PageHello } from '../../wire/index.ts';
import { askRaw, PageError } from '../model/ask.ts';
import { readEvents, type ServerEvent } from '../model/events.ts';
import { hearBeat, hearChange, hearHello, live, refresh } from './live.ts';
import { tell } from './tabs.ts';

/** The server says something at least every 15 seconds; after this silence the connection is taken for dead. */
export const SILENCE_MS = 35_000;
const SHORTEST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 10_000;

/** Holds the one stream of this browser until the signal, through restarts of the server. */
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
        hearBeat('ended');
        tell({ kind: 'state', state: 'ended' });
        return;
      }
    }
    if (signal.aborted) return;
    hearBeat('lost');
    tell({ kind: 'state', state: 'lost' });
    pause = Date.now() - began > SILENCE_MS ? SHORTEST_PAUSE_MS : Math.min(pause * 2, LONGEST_PAUSE_MS);
    await waited(pause * (0.7 + 0.6 * Math.random()), signal);
  }
}

async function listenOnce(signal: AbortSignal): Promise<void> {
  const silence = new AbortController();
  const both = AbortSignal.any([signal, silence.signal]);
  let watchdog: ReturnType<typeof setTimeout> | undefined;
  const heard = () => {
    clearTimeout(watchdog);
    watchdog = setTimeout(() => silence.abort(), SILENCE_MS);
  };
  heard();
  try {
    const response = await askRaw('events', {
      query: { after: live.get().picture?.seq },
      headers: { accept: 'text/event-stream' },
      signal: both,
    });
    if (!response.body) return;
    for await (const event of readEvents(response.body)) {
      heard();
      await hear(event);
    }
  } finally {
    clearTimeout(watchdog);
  }
}

async function hear({ event, data }: ServerEvent): Promise<void> {
  if (event === 'change') {
    const change = JSON.parse(data) as PageChange;
    tell({ kind: 'change', change });
    hearChange(change);
  } else if (event === 'hello') {
    const hello = JSON.parse(data) as PageHello;
    tell({ kind: 'hello', hello });
    await hearHello(hello);
  } else if (event === 'resync') {
    tell({ kind: 'resync' });
    await refresh();
    hearBeat('live');
  } else {
    tell({ kind: 'state', state: 'live' });
    hearBeat('live');
  }
}

function waited(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((done) => {
    const timer = setTimeout(done, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      done();
    });
  });
}
