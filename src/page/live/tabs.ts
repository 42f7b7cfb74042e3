import type { PageChange, PageHello } from '../../wire/index.ts';
import { type Live, live, receiveChange, receiveHello, refresh, setConnection } from './live.ts';

/** What the tab that holds the stream sends to the others. */
type TabMessage =
  | { kind: 'change'; change: PageChange }
  | { kind: 'hello'; hello: PageHello }
  | { kind: 'resync' }
  | { kind: 'state'; state: Live['state'] };

const channel = typeof BroadcastChannel === 'undefined' ? undefined : new BroadcastChannel('rouse-page');

export const broadcast = (message: TabMessage): void => channel?.postMessage(message);

const NOTHING = (): void => undefined;

/** A browser allows six connections per origin, over all tabs. So one tab holds the stream and passes events on. */
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

/** Another tab took over. Its first event may be newer than what this tab has. */
async function followNewHolder(hello: PageHello): Promise<void> {
  if ((live.get().picture?.seq ?? -1) < hello.seq) await refresh();
  await receiveHello(hello);
}
