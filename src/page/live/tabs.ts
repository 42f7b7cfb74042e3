import type { PageChange, PageHello } from '../../wire/index.ts';
import { type Live, live, receiveChange, receiveHello, refresh, setConnection } from './live.ts';

/** What the tab that holds the stream tells the others. */
type TabMessage =
  | { kind: 'change'; change: PageChange }
  | { kind: 'hello'; hello: PageHello }
  | { kind: 'resync' }
  | { kind: 'state'; state: Live['state'] };

const channel = typeof BroadcastChannel === 'undefined' ? undefined : new BroadcastChannel('rouse-page');

export const broadcast = (message: TabMessage): void => channel?.postMessage(message);

const NOTHING = (): void => undefined;

/** A browser gives an origin six connections for all its tabs: one tab listens, the others hear from it. */
export function listenToTabs(): void {
  if (!channel) return;
  channel.onmessage = ({ data }: MessageEvent<TabMessage>) => {
    if (live.get().state === 'paused') return;
    if (data.kind === 'change') receiveChange(data.change);
    else if (data.kind === 'resync') refresh().then(() => setConnection('live'), NOTHING);
    else if (data.kind === 'state') setConnection(data.state);
    else followNewHolder(data.hello).catch(NOTHING);
  };
}

/** Another tab took over. What it begins with may be newer than what this one has heard. */
async function followNewHolder(hello: PageHello): Promise<void> {
  if ((live.get().picture?.seq ?? -1) < hello.seq) await refresh();
  await receiveHello(hello);
}
