import type { PageChange, PageHello } from '../../wire/index.ts';
import { hearBeat, hearChange, hearHello, type Live, live, refresh } from './live.ts';

/** What the tab that holds the stream tells the others. */
type Told =
  | { kind: 'change'; change: PageChange }
  | { kind: 'hello'; hello: PageHello }
  | { kind: 'resync' }
  | { kind: 'state'; state: Live['state'] };

const channel = typeof BroadcastChannel === 'undefined' ? undefined : new BroadcastChannel('rouse-page');

export const tell = (told: Told): void => channel?.postMessage(told);

const NOTHING = (): void => undefined;

/** A browser gives an origin six connections for all its tabs: one tab listens, the others hear from it. */
export function listenToTabs(): void {
  if (!channel) return;
  channel.onmessage = ({ data }: MessageEvent<Told>) => {
    if (live.get().state === 'paused') return;
    if (data.kind === 'change') hearChange(data.change);
    else if (data.kind === 'resync') refresh().then(() => hearBeat('live'), NOTHING);
    else if (data.kind === 'state') hearBeat(data.state);
    else hearAgain(data.hello).catch(NOTHING);
  };
}

/** Another tab took over. What it begins with may be newer than what this one has heard. */
async function hearAgain(hello: PageHello): Promise<void> {
  if ((live.get().picture?.seq ?? -1) < hello.seq) await refresh();
  await hearHello(hello);
}
