import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { PageDay, PageReceipt } from '../../wire/index.ts';
import { askMarkdown, dayBetween } from '../live/queries.ts';
import { dayOf, serverNow } from '../model/clock.ts';
import { usePlace, useQueryWord } from '../model/router.ts';
import { useAction } from '../parts/action.ts';
import { When } from '../parts/age.tsx';
import { CommandLine } from '../parts/command-line.tsx';
import { NotLoaded, Quiet, Sent } from '../parts/feedback.tsx';
import { Link } from '../parts/link.tsx';
import { Plain } from '../parts/plain-text.tsx';
import { SECTIONS } from './sections.ts';

const DAY_MS = 86_400_000;

interface Span {
  from: string;
  to: string | undefined;
  title: string;
  date: string | undefined;
}

/** The day of the address, in local time; without one, since `from` or for the last 24 hours. */
function useSpan(): Span {
  const { path } = usePlace();
  const from = useQueryWord('from');
  const [, date] = /^\/ui\/day\/(\d{4}-\d{2}-\d{2})$/.exec(path) ?? [];
  const start = date === undefined ? Number.NaN : new Date(`${date}T00:00:00`).getTime();
  const [opened] = useState(() => new Date(Math.floor(serverNow() / 60_000) * 60_000 - DAY_MS).toISOString());
  if (Number.isFinite(start)) {
    const end = new Date(start);
    end.setDate(end.getDate() + 1);
    const fromUtc = new Date(start).toISOString();
    return { from: fromUtc, to: end.toISOString(), title: dayOf(fromUtc), date };
  }
  if (from !== undefined && Number.isFinite(Date.parse(from)))
    return {
      from: new Date(from).toISOString(),
      to: undefined,
      title: 'Since you were here',
      date: undefined,
    };
  return { from: opened, to: undefined, title: 'The last 24 hours', date: undefined };
}

/** What happened: what waits, failed, is unusual, was asked and was finished. */
export default function DayPage() {
  const { from, to, title, date } = useSpan();
  const asked = useQuery(dayBetween(from, to));
  const { data } = asked;
  return (
    <div className="mx-auto max-w-5xl space-y-3 p-3 md:p-4">
      <header className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <h1 className="heading text-base">{title}</h1>
        <Days date={date} />
        {data && <Actions from={from} to={to} />}
      </header>
      {!data && <NotLoaded asked={asked} what="the day" rows={8} />}
      {data && <Report day={data} />}
    </div>
  );
}

const localDate = (ms: number): string => {
  const at = new Date(ms);
  return [at.getFullYear(), at.getMonth() + 1, at.getDate()]
    .map((part) => String(part).padStart(2, '0'))
    .join('-');
};

function Days({ date }: { date: string | undefined }) {
  const noon = date === undefined ? serverNow() : new Date(`${date}T12:00:00`).getTime();
  const next = localDate(noon + DAY_MS);
  const today = localDate(serverNow());
  return (
    <nav aria-label="Days" className="flex gap-1">
      <Link href={`/ui/day/${localDate(noon - DAY_MS)}`} className="chip text-muted hover:bg-sunken">
        ‹ {date === undefined ? 'Yesterday' : 'Day before'}
      </Link>
      <Link
        href={`/ui/day/${today}`}
        aria-current={date === today ? 'true' : undefined}
        className="chip text-muted hover:bg-sunken aria-[current]:bg-accent-soft aria-[current]:text-accent"
      >
        Today
      </Link>
      {date !== undefined && date < today && (
        <Link href={`/ui/day/${next}`} className="chip text-muted hover:bg-sunken">
          Next day ›
        </Link>
      )}
    </nav>
  );
}

function Actions({ from, to }: { from: string; to: string | undefined }) {
  const { run, sending } = useAction<PageReceipt>();
  const [copied, setCopied] = useState<'no' | 'yes' | 'failed'>('no');
  const copy = async (): Promise<void> => {
    try {
      const { markdown } = await askMarkdown(from, to);
      await navigator.clipboard.writeText(markdown ?? '');
      setCopied('yes');
    } catch {
      setCopied('failed');
    }
  };
  const label = { no: 'Copy as Markdown', yes: 'Copied', failed: 'Could not be copied; try again' };
  return (
    <span className="ml-auto flex flex-wrap items-center gap-2">
      <Sent sending={sending} />
      <button type="button" className="btn" onClick={() => void copy()}>
        {label[copied]}
      </button>
      <button
        type="button"
        className="btn"
        disabled={sending.state === 'sending'}
        onClick={() => void run('visit', { looked_at: true })}
      >
        Mark all looked at
      </button>
    </span>
  );
}

function Report({ day }: { day: PageDay }) {
  const shown = SECTIONS.filter(({ section }) => day.counts[section] > 0);
  return (
    <>
      {shown.length === 0 && <Quiet>Nothing happened.</Quiet>}
      {shown.map((each) => (
        <SectionCard key={each.section} {...each} day={day} />
      ))}
      {day.quiet.length > 0 && (
        <p className="px-1 text-muted">
          Nothing from <Plain text={day.quiet.join(', ')} />
        </p>
      )}
      {day.troubles.map((trouble) => (
        <p key={trouble} className="px-1 text-wait">
          Not read: <Plain text={trouble} />
        </p>
      ))}
      <CommandLine command={day.command} label="Same on the command line" />
    </>
  );
}

const FIRST = 6;

function SectionCard({ section, label, colour, day }: (typeof SECTIONS)[number] & { day: PageDay }) {
  const [isWhole, setWhole] = useState(false);
  const entries = day.entries.filter((entry) => entry.section === section);
  const shown = isWhole ? entries : entries.slice(0, FIRST);
  const count = day.counts[section];
  return (
    <section id={section} aria-label={label} className="card overflow-hidden">
      <h2 className="heading flex items-center gap-2 px-4 py-2">
        <span className={`chip ${colour}`}>
          {label} <span className="digits">{count}</span>
        </span>
      </h2>
      <ul>
        {shown.map((entry) => (
          <li key={`${entry.at_utc} ${entry.agent} ${entry.text}`} className="border-t border-line">
            <Link
              data-row
              href={entry.href}
              className="grid items-baseline grid-cols-[4.5rem_minmax(0,1fr)] gap-x-3 px-4 py-1.5 hover:bg-bg focus-visible:outline-offset-[-2px] sm:grid-cols-[4.5rem_10rem_minmax(0,1fr)]"
            >
              <span className="text-xs text-muted">
                <When utc={entry.at_utc} />
              </span>
              <span className="truncate font-medium">
                <Plain text={entry.agent ?? 'You'} />
              </span>
              <span className="max-sm:col-start-2">
                <Plain text={entry.text} />
                {entry.more && (
                  <span className="block truncate text-xs text-muted">
                    <Plain text={entry.more} />
                  </span>
                )}
              </span>
            </Link>
          </li>
        ))}
      </ul>
      {entries.length > shown.length && (
        <button type="button" className="btn btn-bare m-2" onClick={() => setWhole(true)}>
          {entries.length - shown.length} more
        </button>
      )}
      {isWhole && count > entries.length && (
        <p className="px-4 py-2 text-muted">{count - entries.length} older ones are not listed.</p>
      )}
    </section>
  );
}
