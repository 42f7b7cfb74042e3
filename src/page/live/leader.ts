import { settings } from '../model/settings.ts';
import { live, refresh, setConnection } from './live.ts';
import { holdStream, SILENCE_MS } from './stream.ts';
import { listenToTabs } from './tabs.ts';

const LOCK = 'rouse-page-stream';
/** A tab that was hidden for this long releases the stream, unless it must notify. */
const HIDDEN_MS = 60_000;

let looking: AbortController | undefined;
let hiding: ReturnType<typeof setTimeout> | undefined;

/** Resolves once the first picture is there, or could not be loaded. */
export function startLive(): Promise<void> {
  // Before the snapshot is requested, so that no change after it is missed.
  listenToTabs();
  const first = refresh().then(
    () => setConnection('live'),
    () => undefined,
  );
  follow();
  document.addEventListener('visibilitychange', () => {
    clearTimeout(hiding);
    if (document.hidden) hiding = setTimeout(pauseStream, HIDDEN_MS);
    else resumeStream();
  });
  addEventListener('pagehide', () => looking?.abort());
  addEventListener('pageshow', ({ persisted }) => persisted && resumeStream());
  setInterval(checkSilence, 5000);
  return first;
}

function follow(): void {
  looking = new AbortController();
  takeTurns(looking.signal).catch(() => undefined);
}

function resumeStream(): void {
  if (live.get().state === 'ended') return;
  if (looking && !looking.signal.aborted) return;
  if (live.get().state === 'paused') setConnection('connecting');
  refresh()
    .then(() => setConnection('live'))
    .catch(() => undefined);
  follow();
}

function pauseStream(): void {
  if (!document.hidden || settings.get().notify) return;
  looking?.abort();
  setConnection('paused');
}

/** Waits for the lock, then holds the stream. A tab that loses the lock waits again. */
async function takeTurns(signal: AbortSignal, steal = false): Promise<void> {
  if (!navigator.locks) return holdStream(signal);
  while (!signal.aborted && live.get().state !== 'ended') {
    const turn = new AbortController();
    const both = AbortSignal.any([signal, turn.signal]);
    try {
      await navigator.locks.request(LOCK, steal ? { steal } : { signal }, () => holdStream(both));
    } catch {
      turn.abort();
    }
    steal = false;
  }
}

/** The tab that holds the stream may be stuck, so a visible tab takes the stream over. */
function checkSilence(): void {
  const { state, lastHeardMs } = live.get();
  if (state !== 'live' || Date.now() - lastHeardMs < SILENCE_MS + 5000) return;
  setConnection('lost');
  if (document.hidden || !looking || looking.signal.aborted) return;
  looking.abort();
  looking = new AbortController();
  takeTurns(looking.signal, true).catch(() => undefined);
}
