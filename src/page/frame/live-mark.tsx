import { useLive } from '../live/live.ts';
import { lengthInWords, serverNow, timeOfDay, useTicking } from '../model/clock.ts';

const WORDS = {
  connecting: 'connecting',
  live: 'live',
  lost: 'stale',
  paused: 'paused',
  ended: 'ended',
} as const;

const LOOK = {
  connecting: 'text-wait',
  live: 'text-idle',
  lost: 'text-need',
  paused: 'text-wait',
  ended: 'text-need',
} as const;

/** Shows the server's time while the page is live, else how old it is. */
export function LiveMark() {
  const state = useLive((live) => live.state);
  const lastHeardMs = useLive((live) => live.lastHeardMs);
  const clock = useTicking(() =>
    state === 'live' ? timeOfDay(serverNow()) : `${lengthInWords(Date.now() - lastHeardMs)} old`,
  );
  const title =
    state === 'live'
      ? 'Changes are shown as they happen. This is the time of the server'
      : `This is the state at ${timeOfDay(lastHeardMs)}; trying to reach the server`;
  return (
    <div
      className={`flex shrink-0 items-center gap-1.5 whitespace-nowrap text-xs font-semibold ${LOOK[state]}`}
      title={title}
      data-live={state}
    >
      <svg width="8" height="8" viewBox="0 0 8 8" aria-hidden="true">
        {state === 'live' ? (
          <circle cx="4" cy="4" r="4" fill="currentColor" />
        ) : (
          <path d="M4 0 8 8H0z" fill="currentColor" />
        )}
      </svg>
      <span>{WORDS[state]}</span>
      <span className="digits font-normal text-muted">{clock}</span>
    </div>
  );
}

/** Above everything while the page is not live, so that no one takes old facts for new. */
export function StaleBanner() {
  const lost = useLive((live) => (live.state === 'lost' ? live : undefined));
  if (!lost) return null;
  const { lastHeardMs, trouble } = lost;
  return (
    <div role="status" className="bg-need-soft px-4 py-1 text-center text-xs font-semibold text-need">
      Not live: this is the state at {timeOfDay(lastHeardMs)}. Reconnecting …{trouble ? ` (${trouble})` : ''}
    </div>
  );
}
