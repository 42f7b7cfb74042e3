import { QueryClientProvider } from '@tanstack/react-query';
import { useCallback, useEffect, useRef, useState } from 'react';
import { confirming, outcomes } from './act/acting.ts';
import { Gate } from './frame/gate.tsx';
import { StaleBanner } from './frame/live-mark.tsx';
import { useShortcuts } from './frame/shortcuts.ts';
import { TabBar, TopBar } from './frame/top-bar.tsx';
import { Home } from './home/home.tsx';
import { useLive } from './live/live.ts';
import { queryClient } from './live/query-client.ts';
import { notifyNew, showCount } from './model/notices.ts';
import { place, usePlace } from './model/router.ts';
import { useStore } from './model/store.ts';
import { Loading, Quiet } from './parts/feedback.tsx';
import { late } from './parts/late.tsx';
import { Link } from './parts/link.tsx';

/** Home is in the first bundle; the other views are loaded when they are opened. */
const AgentPage = late(() => import('./agent/agent-page.tsx'), viewToCome);
const ConfirmDeed = late(() => import('./act/confirm-deed.tsx'));
const Outcomes = late(() => import('./act/outcomes.tsx'));
const SearchOverlay = late(() => import('./search/search-overlay.tsx'));
const KeysOverlay = late(() => import('./frame/keys-overlay.tsx'));
const DayPage = late(() => import('./day/day-page.tsx'), viewToCome);
const HealthPage = late(() => import('./health/health-page.tsx'), viewToCome);
const LanesPage = late(() => import('./lanes/lanes-page.tsx'), viewToCome);
const MailPage = late(() => import('./mail/mail-page.tsx'), viewToCome);
const RequestsPage = late(() => import('./requests/requests-page.tsx'), viewToCome);
const RemindersPage = late(() => import('./reminders/reminders-page.tsx'), viewToCome);

/** A server of another version has other files; then the page must be reloaded. */
function viewToCome(isMissing: boolean) {
  if (!isMissing) return <Loading what="the page" />;
  return (
    <Quiet>
      This view could not be loaded; trying again.{' '}
      <button type="button" className="text-accent underline" onClick={() => location.reload()}>
        Reload the page
      </button>
    </Quiet>
  );
}

export function App() {
  return (
    <QueryClientProvider client={queryClient}>
      <Gate>
        <Frame />
      </Gate>
    </QueryClientProvider>
  );
}

type Open = 'search' | 'keys' | undefined;

function Frame() {
  const [open, setOpen] = useState<Open>(() => (place.get().query.has('search') ? 'search' : undefined));
  const search = useCallback(() => setOpen('search'), []);
  const overview = useCallback(() => setOpen('keys'), []);
  const close = useCallback(() => setOpen(undefined), []);
  useShortcuts({ search, overview });
  useFocusInView();
  return (
    <>
      <a
        href="#main"
        className="sr-only focus:not-sr-only focus:fixed focus:top-2 focus:left-2 focus:z-50 btn"
      >
        Skip to the content
      </a>
      <TopBar onSearch={search} onKeys={overview} />
      <StaleBanner />
      <News />
      <main id="main" tabIndex={-1} className="pb-20 outline-none md:pb-6">
        <Content />
      </main>
      <TabBar />
      <Acting />
      {open === 'search' && <SearchOverlay onClose={close} />}
      {open === 'keys' && <KeysOverlay onClose={close} />}
    </>
  );
}

/** What had the focus may go away with its view. Then the next view has it, so that Tab and screen readers begin there. */
function useFocusInView(): void {
  const { path } = usePlace();
  const before = useRef(path);
  useEffect(() => {
    if (before.current === path) return;
    before.current = path;
    const { activeElement } = document;
    if (activeElement === null || activeElement === document.body)
      document.getElementById('main')?.focus({ preventScroll: true });
  }, [path]);
}

/** What waits for a person's yes, and how what they did ended. Loaded when there is something. */
function Acting() {
  const asks = useStore(confirming, (asked) => asked !== undefined);
  const acted = useStore(outcomes, (shown) => shown.length > 0);
  return (
    <>
      {asks && <ConfirmDeed />}
      {acted && <Outcomes />}
    </>
  );
}

function Content() {
  const { path } = usePlace();
  const [, agent] = /^\/ui\/agents\/([^/]+)\/?$/.exec(path) ?? [];
  if (agent) return <AgentPage key={agent} name={decode(agent)} />;
  if (/^\/ui\/day(\/|$)/.test(path)) return <DayPage />;
  if (path.startsWith('/ui/health')) return <HealthPage />;
  if (path.startsWith('/ui/activity')) return <LanesPage />;
  if (path.startsWith('/ui/mail')) return <MailPage />;
  if (path.startsWith('/ui/requests')) return <RequestsPage />;
  if (path.startsWith('/ui/reminders')) return <RemindersPage />;
  if (path === '/ui/' || path === '/ui') return <Home />;
  return (
    <Quiet>
      There is nothing here.{' '}
      <Link href="/ui/" className="text-accent underline">
        Home
      </Link>
    </Quiet>
  );
}

function decode(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

/** The count in the title, notifications, and the count for screen readers. */
function News() {
  const picture = useLive((live) => live.picture);
  const { path } = usePlace();
  const needs = picture?.needs.length ?? 0;
  useEffect(() => {
    const [, agent] = /^\/ui\/agents\/([^/]+)/.exec(path) ?? [];
    const [, word = ''] = /^\/ui\/(activity|day|health|mail|requests|reminders)/.exec(path) ?? [];
    showCount(needs, agent ? decode(agent) : word.replace(/^./, (letter) => letter.toUpperCase()));
  }, [needs, path]);
  useEffect(() => {
    if (picture) notifyNew(picture.needs, picture.agents.values());
  }, [picture]);
  return (
    <div aria-live="polite" className="sr-only">
      {needs === 0 ? 'Nothing needs you' : `${needs} ${needs === 1 ? 'item needs' : 'items need'} you`}
    </div>
  );
}
