import { memo, useEffect, useState } from 'react';
import type { PageScreen, PageTrouble } from '../../wire/index.ts';
import { agentAt } from '../live/queries.ts';
import { ask, askRaw, PageError } from '../model/ask.ts';
import { waited } from '../model/clock.ts';
import { readEvents } from '../model/events.ts';
import { Age } from '../parts/age.tsx';
import { Loading, Trouble } from '../parts/feedback.tsx';
import { Plain } from '../parts/plain-text.tsx';
import { DialogCard } from './dialog-card.tsx';
import { coloursOf } from './screen-colours.ts';

const AFTER_TROUBLE_MS = 3000;

interface Seen {
  screen: PageScreen | undefined;
  error: unknown;
}

/** The agent's screen while the page is visible. It is captured, not attached: nothing is resized or typed. */
export function LiveScreen({ name }: { name: string }) {
  const { screen, error } = useScreen(name);
  if (!screen) return error ? <Trouble error={error} /> : <Loading what="the screen" rows={6} />;
  return (
    <>
      {screen.dialog && <DialogCard key={screen.dialog.hash} name={name} dialog={screen.dialog} />}
      {Boolean(error) && <Trouble error={error} />}
      <Terminal screen={screen} />
      <p className="border-t border-line px-4 py-1 text-xs text-muted">
        Read-only, {screen.columns} × {screen.rows}, seen <Age utc={screen.captured_at_utc} /> ago
      </p>
    </>
  );
}

type SetSeen = (next: (seen: Seen) => Seen) => void;

function useScreen(name: string): Seen {
  const [seen, setSeen] = useState<Seen>({ screen: undefined, error: undefined });
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
async function glance(name: string, set: SetSeen, signal: AbortSignal): Promise<void> {
  const screen = await ask<PageScreen>(`${agentAt(name)}/screen`, { signal });
  set(() => ({ screen, error: undefined }));
}

/** One stream while the screen is shown; the server sends only changes. */
async function follow(name: string, set: SetSeen, signal: AbortSignal): Promise<void> {
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

const Terminal = memo(function Terminal({ screen }: { screen: PageScreen }) {
  const { columns, lines } = screen;
  return (
    <section
      className="terminal flex-1"
      aria-label="Screen of the agent, read-only"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and so must be reached by keyboard
      tabIndex={0}
      style={{ '--columns': columns } as React.CSSProperties}
    >
      {lines.map((line, row) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a screen's rows are their places
        <div key={row} className="terminal-row">
          {line.map((span, at) => (
            <span
              // biome-ignore lint/suspicious/noArrayIndexKey: a line's runs are their places
              key={at}
              style={{ ...coloursOf(span), ...fontOf(span) }}
            >
              <Plain text={span.text} />
            </span>
          ))}
        </div>
      ))}
    </section>
  );
});

type Span = PageScreen['lines'][number][number];

function fontOf({ bold, italic, underline, strike }: Span): React.CSSProperties {
  const lines = [underline && 'underline', strike && 'line-through'].filter(Boolean).join(' ');
  return {
    ...(bold && { fontWeight: 700 }),
    ...(italic && { fontStyle: 'italic' }),
    ...(lines && { textDecorationLine: lines }),
  };
}
