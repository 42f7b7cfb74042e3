import { useLive, usePicture } from '../live/live.ts';
import { usePlace } from '../model/router.ts';
import { Icon, type IconName, Sunrise } from '../parts/icons.tsx';
import { late } from '../parts/late.tsx';
import { Link } from '../parts/link.tsx';
import { LiveMark } from './live-mark.tsx';

const SettingsMenu = late(
  () => import('./settings-menu.tsx'),
  () => <span className="size-8" />,
);

interface Tab {
  href: string;
  label: string;
  icon: IconName;
  count?: number | undefined;
}

function useTabs(): Tab[] {
  const counts = usePicture((picture) => picture.counts);
  const needs = useLive(({ picture }) => picture?.needs.length ?? 0);
  return [
    { href: '/ui/', label: 'Home', icon: 'home', count: needs },
    { href: '/ui/activity', label: 'Activity', icon: 'state' },
    { href: '/ui/mail', label: 'Mail', icon: 'mail', count: counts?.unread_operator },
    { href: '/ui/requests', label: 'Requests', icon: 'request', count: counts?.requests_for_me },
    { href: '/ui/reminders', label: 'Reminders', icon: 'reminder' },
  ];
}

const isAt = (path: string, href: string): boolean =>
  href === '/ui/' ? path === href || path.startsWith('/ui/agents/') : path.startsWith(href);

function Count({ count, label }: { count: number | undefined; label: string }) {
  if (!count) return null;
  return (
    <span
      className="digits rounded-full bg-need px-1.5 text-2xs font-bold text-surface"
      title={`${count} for you in ${label}`}
    >
      {count > 99 ? '99+' : count}
    </span>
  );
}

export function TopBar({ onSearch, onKeys }: { onSearch: () => void; onKeys: () => void }) {
  const { path } = usePlace();
  const tabs = useTabs();
  return (
    <header className="topbar sticky top-0 z-30">
      <Link href="/ui/" className="flex shrink-0 items-center gap-2" aria-label="Rouse, home">
        <Sunrise />
        <span className="brand hidden sm:inline">Rouse</span>
      </Link>
      <nav aria-label="Main" className="hidden h-full shrink-0 items-stretch gap-1 whitespace-nowrap md:flex">
        {tabs.map(({ href, label, count }) => (
          <Link
            key={href}
            href={href}
            aria-current={isAt(path, href) ? 'page' : undefined}
            className="flex items-center gap-1.5 border-b-2 border-transparent px-2.5 pt-0.5 font-medium text-muted hover:text-ink aria-[current]:border-accent aria-[current]:text-ink"
          >
            {label}
            <Count count={count} label={label} />
          </Link>
        ))}
      </nav>
      <button
        type="button"
        onClick={onSearch}
        className="ml-auto flex h-8 min-w-8 items-center gap-2 overflow-hidden rounded-lg border border-line bg-bg px-2 text-muted hover:text-ink md:w-56"
        aria-label="Search everything"
      >
        <Icon name="search" size={15} />
        <span className="hidden flex-1 text-left md:inline">Search</span>
        <span className="kbd hidden md:inline-block">/</span>
      </button>
      <LiveMark />
      <div className="flex items-center">
        <button
          type="button"
          className="btn btn-bare hidden px-1.5 sm:inline-flex"
          onClick={onKeys}
          aria-label="Keyboard"
        >
          <Icon name="keyboard" size={18} />
        </button>
        <SettingsMenu />
      </div>
    </header>
  );
}

/** On a phone the tabs are at the bottom, within reach of the thumb. */
export function TabBar() {
  const { path } = usePlace();
  return (
    <nav
      aria-label="Main"
      className="fixed inset-x-0 bottom-0 z-30 flex border-t border-line bg-surface md:hidden"
    >
      {useTabs().map(({ href, label, icon, count }) => (
        <Link
          key={href}
          href={href}
          aria-current={isAt(path, href) ? 'page' : undefined}
          className="relative flex h-14 flex-1 flex-col items-center justify-center gap-0.5 text-2xs font-medium text-muted aria-[current]:text-accent"
        >
          <Icon name={icon} size={20} />
          {label}
          <span className="absolute top-1 left-1/2 ml-2">
            <Count count={count} label={label} />
          </span>
        </Link>
      ))}
    </nav>
  );
}
