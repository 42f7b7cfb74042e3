import type { PageChange, PageHello, PageSnapshot } from '../../wire/index.ts';
import { ask, PageError } from '../model/ask.ts';
import { setServerTime } from '../model/clock.ts';
import { createStore, useStore } from '../model/store.ts';
import { forgetAll, forgetTouched } from './answers.ts';
import { applyChanges, type Picture, pictureOf } from './picture.ts';

/**
 * `live`: what is shown is what is. `lost`: the server is not heard; what is shown is as old as `heardMs` says. `paused`:
 * nobody looks at any tab. `ended`: the session is over.
 */
export interface Live {
  state: 'connecting' | 'live' | 'lost' | 'paused' | 'ended';
  /** When the server was last heard, by this machine's clock. */
  heardMs: number;
  picture: Picture | undefined;
  trouble: string | undefined;
}

export const live = createStore<Live>({
  state: 'connecting',
  heardMs: Date.now(),
  picture: undefined,
  trouble: undefined,
});

export const useLive = <C>(choose: (live: Live) => C): C => useStore(live, choose);
export const usePicture = <C>(choose: (picture: Picture) => C): C | undefined =>
  useStore(live, ({ picture }) => picture && choose(picture));

/** At most ten paints a second, however much happens. */
const PAINT_MS = 100;
let pending: PageChange[] = [];
let painted = 0;
let timer: ReturnType<typeof setTimeout> | undefined;

/** One change, from the stream or from the tab that holds it. */
export function hearChange(change: PageChange): void {
  hearBeat('live');
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
  forgetTouched(changes.flatMap(({ touched }) => touched ?? []));
}

export function hearBeat(state: Live['state'], trouble?: string): void {
  const before = live.get();
  const heardMs = state === 'live' ? Date.now() : before.heardMs;
  if (state === before.state && trouble === before.trouble && heardMs - before.heardMs < 1000) return;
  live.set({ ...before, state, trouble, heardMs });
}

let refreshing: Promise<void> | undefined;

/** The whole picture again: at the start, after a gap, and when the server is another. */
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
    live.set({ ...live.get(), picture: pictureOf(snapshot), heardMs: Date.now(), trouble: undefined });
    paint();
    if (!isFirst) forgetAll();
  } catch (error) {
    const isOver = error instanceof PageError && error.status === 401;
    hearBeat(isOver ? 'ended' : 'lost', error instanceof Error ? error.message : String(error));
    throw error;
  }
}

/** The stream begins, or begins again: what was missed meanwhile is fetched, never patched over. */
export async function hearHello(hello: PageHello): Promise<void> {
  setServerTime(hello.now_utc);
  const { picture } = live.get();
  if (!picture || picture.epoch !== hello.epoch) await refresh();
  hearBeat('live');
}
