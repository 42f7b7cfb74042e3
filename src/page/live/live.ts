import type { PageChange, PageHello, PageSnapshot } from '../../wire/index.ts';
import { ask, PageError } from '../model/ask.ts';
import { setServerTime } from '../model/clock.ts';
import { createStore, useStore } from '../model/store.ts';
import { applyChanges, type Picture, pictureOf } from './picture.ts';
import { invalidateAll, refetchTouched } from './query-client.ts';

/**
 * `live`: the page shows the present. `lost`: no events arrive; the page shows the state at `lastHeardMs`. `paused`: all
 * tabs are hidden. `ended`: the session is over.
 */
export interface Live {
  state: 'connecting' | 'live' | 'lost' | 'paused' | 'ended';
  /** When the last event arrived, by this machine's clock. */
  lastHeardMs: number;
  picture: Picture | undefined;
  trouble: string | undefined;
}

export const live = createStore<Live>({
  state: 'connecting',
  lastHeardMs: Date.now(),
  picture: undefined,
  trouble: undefined,
});

export const useLive = <C>(choose: (live: Live) => C): C => useStore(live, choose);
export const usePicture = <C>(choose: (picture: Picture) => C): C | undefined =>
  useStore(live, ({ picture }) => picture && choose(picture));

/** At most ten renders a second, however much happens. */
const PAINT_MS = 100;
let pending: PageChange[] = [];
let painted = 0;
let timer: ReturnType<typeof setTimeout> | undefined;

/** One change, from the stream or from the tab that holds it. */
export function receiveChange(change: PageChange): void {
  setConnection('live');
  setServerTime(change.now_utc);
  pending.push(change);
  const wait = painted + PAINT_MS - Date.now();
  if (wait > 0) timer ??= setTimeout(paint, wait);
  else paint();
}

function paint(): void {
  clearTimeout(timer);
  timer = undefined;
  const { picture } = live.get();
  if (!picture) return;
  painted = Date.now();
  const changes = pending;
  pending = [];
  live.set({ ...live.get(), picture: applyChanges(picture, changes) });
  refetchTouched(changes.flatMap(({ touched }) => touched ?? []));
}

export function setConnection(state: Live['state'], trouble?: string): void {
  const before = live.get();
  const lastHeardMs = state === 'live' ? Date.now() : before.lastHeardMs;
  if (state === before.state && trouble === before.trouble && lastHeardMs - before.lastHeardMs < 1000) return;
  live.set({ ...before, state, trouble, lastHeardMs });
}

let refreshing: Promise<void> | undefined;

/** Loads the whole picture: at the start, after a gap, and when the server has restarted. */
export function refresh(): Promise<void> {
  refreshing ??= takeSnapshot().finally(() => {
    refreshing = undefined;
  });
  return refreshing;
}

async function takeSnapshot(): Promise<void> {
  const isFirst = live.get().picture === undefined;
  try {
    const snapshot = await ask<PageSnapshot>('snapshot');
    setServerTime(snapshot.now_utc);
    live.set({ ...live.get(), picture: pictureOf(snapshot), lastHeardMs: Date.now(), trouble: undefined });
    paint();
    if (!isFirst) invalidateAll();
  } catch (error) {
    const isOver = error instanceof PageError && error.status === 401;
    setConnection(isOver ? 'ended' : 'lost', error instanceof Error ? error.message : String(error));
    throw error;
  }
}

/** The stream starts, or starts again. What was missed is loaded as a whole, never patched. */
export async function receiveHello(hello: PageHello): Promise<void> {
  setServerTime(hello.now_utc);
  const { picture } = live.get();
  if (!picture || picture.epoch !== hello.epoch) await refresh();
  setConnection('live');
}
