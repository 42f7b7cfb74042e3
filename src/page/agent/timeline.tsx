import { useInfiniteQuery } from '@tanstack/react-query';
import { useCallback, useMemo } from 'react';
import type { PageTimelineItem } from '../../wire/index.ts';
import { timelineOf } from '../live/queries.ts';
import { dayOf, timeOfDay } from '../model/clock.ts';
import { isOwnPlace, useQueryWord, withQuery } from '../model/router.ts';
import { At } from '../parts/age.tsx';
import { NotLoaded, Quiet } from '../parts/feedback.tsx';
import { type HeldRow, useHeld } from '../parts/held.ts';
import { useHolding } from '../parts/holding.ts';
import { Icon, type IconName } from '../parts/icons.tsx';
import { Link } from '../parts/link.tsx';
import { NewRows } from '../parts/new-rows.tsx';
import { Plain } from '../parts/plain-text.tsx';

type Kind = PageTimelineItem['kind'];

const KINDS: Record<Kind, { words: string; icon: IconName }> = {
  mail: { words: 'Mail', icon: 'mail' },
  prompt: { words: 'Prompts', icon: 'prompt' },
  wake: { words: 'Wakes', icon: 'wake' },
  reminder: { words: 'Reminders', icon: 'reminder' },
  request: { words: 'Requests', icon: 'request' },
  state: { words: 'States', icon: 'state' },
  keys: { words: 'Keys', icon: 'keys' },
  interrupt: { words: 'Interrupts', icon: 'stop' },
};

/** A time of the address, as the server writes times; empty without one. */
function instantOf(word: string | undefined): string {
  const ms = Date.parse(word ?? '');
  return Number.isFinite(ms) ? new Date(ms).toISOString() : '';
}

const keyOf = ({ key }: PageTimelineItem): string => key;

/** Everything that happened with one agent, newest first. Each row opens its evidence. */
export function Timeline({ name }: { name: string }) {
  const kinds = useQueryWord('kinds') ?? '';
  const at = instantOf(useQueryWord('at'));
  const asked = useInfiniteQuery(timelineOf(name, kinds, at));
  const { data, hasNextPage, fetchNextPage, isFetchingNextPage } = asked;
  const items = useMemo(() => data?.pages.flatMap((page) => page.items), [data]);
  const { rows, fresh, show } = useHeld(items, useCallback(keyOf, []));
  const list = useHolding<HTMLOListElement>();
  return (
    <section aria-labelledby="timeline" className="card flex min-h-0 flex-1 flex-col overflow-hidden">
      <header className="flex flex-wrap items-center gap-x-3 gap-y-1 border-b border-line px-4 py-2">
        <h2 id="timeline" className="heading">
          Timeline
        </h2>
        <Kinds chosen={kinds} />
        {at && (
          <Link href={withQuery({ at: undefined })} className="chip bg-accent-soft text-accent">
            Up to {dayOf(at).slice(0, 3)} {timeOfDay(at).slice(0, 5)} · Newest
          </Link>
        )}
        <NewRows fresh={fresh} show={show} />
      </header>
      <div className="min-h-24 flex-1 overflow-y-auto max-lg:max-h-[28rem]" tabIndex={-1}>
        {!data && <NotLoaded asked={asked} what="the timeline" />}
        {data && rows.length === 0 && <Quiet>Nothing has happened yet.</Quiet>}
        <ol ref={list}>
          {rows.map((row, at) => (
            <Item key={row.row.key} {...row} day={newDay(rows, at)} />
          ))}
        </ol>
        {hasNextPage && (
          <button
            type="button"
            className="btn btn-bare m-2"
            disabled={isFetchingNextPage}
            onClick={() => void fetchNextPage()}
          >
            Earlier
          </button>
        )}
      </div>
    </section>
  );
}

function newDay(rows: readonly HeldRow<PageTimelineItem>[], at: number): string | undefined {
  const day = dayOf(rows[at]!.row.at_utc);
  return at === 0 || dayOf(rows[at - 1]!.row.at_utc) !== day ? day : undefined;
}

function Kinds({ chosen }: { chosen: string }) {
  const set = new Set(chosen.split(',').filter(Boolean));
  const toggled = (kind: Kind): string | undefined => {
    const next = new Set(set);
    if (!next.delete(kind)) next.add(kind);
    return [...next].join(',') || undefined;
  };
  return (
    <nav aria-label="Show only" className="flex flex-wrap">
      {(Object.keys(KINDS) as Kind[]).map((kind) => (
        <Link
          key={kind}
          href={withQuery({ kinds: toggled(kind) })}
          aria-current={set.has(kind) ? 'true' : undefined}
          className="chip h-7 text-muted hover:bg-sunken aria-[current]:bg-accent-soft aria-[current]:text-accent"
        >
          <Icon name={KINDS[kind].icon} size={15} />
          {KINDS[kind].words}
        </Link>
      ))}
    </nav>
  );
}

function Item({ row: item, isGone, day }: HeldRow<PageTimelineItem> & { day: string | undefined }) {
  const target = item.ref
    ? withQuery({ ledger: item.ref })
    : item.href && isOwnPlace(item.href)
      ? item.href
      : undefined;
  const outcome = (item.outcome ?? '').replaceAll('_', ' ');
  const look = `grid w-full grid-cols-[3.75rem_1rem_1fr_auto] items-baseline gap-2 px-4 py-1 ${isGone ? 'opacity-50' : ''}`;
  const inside = (
    <>
      <At utc={item.at_utc} className="text-xs text-muted" />
      <span
        className={`translate-y-0.5 ${item.trouble ? 'text-need' : 'text-muted'}`}
        title={KINDS[item.kind].words}
      >
        <Icon name={KINDS[item.kind].icon} size={15} />
      </span>
      <span className="min-w-0">
        {item.who && (
          <span className="mr-1.5 text-muted">
            <Plain text={item.who} />
          </span>
        )}
        <Plain text={item.title} />
      </span>
      {outcome !== '' && outcome !== item.title.toLowerCase() && (
        <span className={`text-xs ${item.trouble ? 'font-semibold text-need' : 'text-muted'}`}>
          <Plain text={outcome} />
        </span>
      )}
    </>
  );
  return (
    <li>
      {day && (
        <p className="border-b border-line bg-bg px-4 py-0.5 text-2xs font-semibold text-muted">{day}</p>
      )}
      {target ? (
        <Link data-row href={target} className={`${look} hover:bg-bg focus-visible:outline-offset-[-2px]`}>
          {inside}
        </Link>
      ) : (
        <div className={look}>{inside}</div>
      )}
    </li>
  );
}
