import { memo, useEffect, useState } from 'react';
import type { PageScreen } from '../../wire/index.ts';
import { agentAt } from '../live/questions.ts';
import { ask, PageError } from '../model/ask.ts';
import { Age } from '../parts/age.tsx';
import { Plain } from '../parts/plain-text.tsx';
import { Loading, Trouble } from '../parts/said.tsx';
import { DialogCard } from './dialog-card.tsx';
import { coloursOf } from './screen-colours.ts';

/** A long question: the server answers when the screen is another one, or after so long. */
const WAIT_SECONDS = 20;
const PAUSE_MS = 250;
/** Where no gateway watches, the server cannot wait: it captures when asked, and is not asked all the time. */
const UNWATCHED_MS = 3000;
const AFTER_TROUBLE_MS = 3000;

interface Seen {
  screen: PageScreen | undefined;
  error: unknown;
}

/** What is on its screen, while somebody looks. Captured, never attached: nothing is resized, nothing can be typed here. */
export function LiveScreen({ name }: { name: string }) {
  const { screen, error } = useScreen(name);
  if (!screen) return error ? <Trouble error={error} /> : <Loading what="the screen" rows={6} />;
  return (
    <>
      {screen.dialog && <DialogCard key={screen.dialog.hash} name={name} dialog={screen.dialog} />}
      {Boolean(error) && <Trouble error={error} />}
      <Terminal screen={screen} />
      <p className="border-t border-line px-4 py-1 text-xs text-muted">
        Read-only, {screen.columns} × {screen.rows}, as it was seen <Age utc={screen.captured_at_utc} /> ago
      </p>
    </>
  );
}

function useScreen(name: string): Seen {
  const [seen, setSeen] = useState<Seen>({ screen: undefined, error: undefined });
  useEffect(() => {
    const looking = new AbortController();
    let known: PageScreen | undefined;
    const look = async (): Promise<void> => {
      while (!looking.signal.aborted) {
        await whileHidden(looking.signal);
        try {
          const [before, beganMs] = [known, Date.now()];
          known = await next(name, known, looking.signal);
          setSeen({ screen: known, error: undefined });
          const isUnwatched = known.hash === before?.hash && Date.now() - beganMs < UNWATCHED_MS;
          await pause(isUnwatched ? UNWATCHED_MS : PAUSE_MS, looking.signal);
        } catch (error) {
          if (looking.signal.aborted) return;
          setSeen({ screen: known, error });
          if (error instanceof PageError && error.status === 401) return;
          await pause(AFTER_TROUBLE_MS, looking.signal);
        }
      }
    };
    void look();
    return () => looking.abort();
  }, [name]);
  return seen;
}

async function next(name: string, known: PageScreen | undefined, signal: AbortSignal): Promise<PageScreen> {
  const query = known ? { after: known.hash, wait_seconds: WAIT_SECONDS } : {};
  const screen = await ask<PageScreen>(`${agentAt(name)}/screen`, { query, signal });
  return screen.unchanged && known
    ? { ...known, captured_at_utc: screen.captured_at_utc, dialog: screen.dialog }
    : screen;
}

const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((done) => {
    const timer = setTimeout(done, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      done();
    });
  });

/** Nobody looks at a tab behind others: nothing is captured for it. */
function whileHidden(signal: AbortSignal): Promise<void> {
  if (!document.hidden) return Promise.resolve();
  return new Promise((done) => {
    document.addEventListener('visibilitychange', () => done(), { once: true, signal });
    signal.addEventListener('abort', () => done());
  });
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
