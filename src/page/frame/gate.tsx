import { type ReactNode, useEffect, useState } from 'react';
import type { PageSession } from '../../wire/index.ts';
import { startLive } from '../live/leader.ts';
import { setConnection, useLive } from '../live/live.ts';
import { PageError, whenSessionEnds } from '../model/ask.ts';
import { openSession } from '../model/session.ts';
import { CommandLine } from '../parts/command-line.tsx';
import { Sunrise } from '../parts/icons.tsx';
import { Plain } from '../parts/plain-text.tsx';
import { SessionContext } from './session-context.ts';

type Opened =
  | { state: 'opening' }
  | { state: 'open'; session: PageSession }
  | { state: 'closed'; error?: unknown };

/** Shows the page to a person with a session, or with a code that starts one. */
export function Gate({ children }: { children: ReactNode }) {
  const [opened, setOpened] = useState<Opened>({ state: 'opening' });
  const isOver = useLive(({ state }) => state === 'ended');
  useEffect(() => {
    whenSessionEnds(() => setConnection('ended'));
    openSession()
      .then(async (session) => {
        if (!session) return setOpened({ state: 'closed' });
        await startLive();
        setOpened({ state: 'open', session });
      })
      .catch((error: unknown) => setOpened({ state: 'closed', error }));
  }, []);
  if (isOver) return <Closed title="Your session has ended" />;
  if (opened.state === 'closed') return <Closed title={titleOf(opened.error)} error={opened.error} />;
  if (opened.state === 'opening') return <Opening />;
  return <SessionContext value={opened.session}>{children}</SessionContext>;
}

const titleOf = (error: unknown): string =>
  error instanceof PageError && error.status > 0
    ? 'This link no longer opens the page'
    : error
      ? 'The server does not respond'
      : 'You are not logged in';

/** The same as index.html shows before any script runs, so that nothing jumps. */
function Opening() {
  return (
    <>
      <header className="topbar">
        <span className="brand">Rouse</span>
      </header>
      <main className="first-word">Loading your agents …</main>
    </>
  );
}

function Closed({ title, error }: { title: string; error?: unknown }) {
  return (
    <main className="mx-auto flex min-h-dvh max-w-md flex-col justify-center gap-4 p-6">
      <div className="flex items-center gap-3">
        <Sunrise size={32} />
        <h1 className="text-lg font-semibold">{title}</h1>
      </div>
      {error instanceof Error && (
        <p className="text-muted">
          <Plain text={error.message} />
        </p>
      )}
      <p>
        A link works once. A session ends when it is not used for a while, and when the server restarts. To
        get a new link, run this on the host:
      </p>
      <CommandLine command="rouse dashboard" />
      <button type="button" className="btn self-start" onClick={() => location.reload()}>
        Try again
      </button>
    </main>
  );
}
