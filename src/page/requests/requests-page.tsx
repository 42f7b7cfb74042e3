import { useInfiniteQuery } from '@tanstack/react-query';
import { useCallback, useMemo } from 'react';
import type { PageRequestRow } from '../../wire/index.ts';
import { type RequestsView, requestList } from '../live/queries.ts';
import { useQueryWord, withQuery } from '../model/router.ts';
import { NotLoaded, Quiet } from '../parts/feedback.tsx';
import { useHeld } from '../parts/held.ts';
import { useHolding } from '../parts/holding.ts';
import { Link } from '../parts/link.tsx';
import { NewRows } from '../parts/new-rows.tsx';
import { RequestCard } from './request-card.tsx';
import { RequestDrawer } from './request-drawer.tsx';

const VIEWS: readonly { view: RequestsView; label: string; none: string }[] = [
  { view: 'for_me', label: 'Open for me', none: 'No one is waiting for you.' },
  { view: 'waiting', label: 'Waiting for others', none: 'No open requests to others.' },
  { view: 'answered', label: 'Answered', none: 'No answers yet.' },
  { view: 'expired', label: 'Closed unanswered', none: 'Nothing was closed without an answer.' },
];

/** Requests and their answers in four columns; one column at a time on a narrow screen. */
export default function RequestsPage() {
  const asked = useQueryWord('view');
  const chosen = VIEWS.find(({ view }) => view === asked)?.view ?? 'for_me';
  return (
    <div className="flex flex-col p-3 md:p-4 lg:h-[calc(100dvh-3rem)]">
      <h1 className="sr-only">Requests</h1>
      <nav aria-label="Requests" className="mb-2 flex flex-wrap gap-1 lg:hidden">
        {VIEWS.map(({ view, label }) => (
          <Link
            key={view}
            href={withQuery({ view, id: undefined })}
            aria-current={view === chosen ? 'true' : undefined}
            className="chip h-8 border border-line bg-surface text-muted aria-[current]:border-accent aria-[current]:bg-accent-soft aria-[current]:text-accent"
          >
            {label}
          </Link>
        ))}
      </nav>
      <div className="grid min-h-0 flex-1 gap-3 lg:grid-cols-4">
        {VIEWS.map((each) => (
          <Column key={each.view} {...each} isChosen={each.view === chosen} />
        ))}
      </div>
      <RequestDrawer />
    </div>
  );
}

const idOf = ({ id }: PageRequestRow): string => id;

function Column({ view, label, none, isChosen }: (typeof VIEWS)[number] & { isChosen: boolean }) {
  const asked = useInfiniteQuery(requestList(view));
  const { data, hasNextPage, isFetchingNextPage } = asked;
  const requests = useMemo(() => data?.pages.flatMap((page) => page.requests), [data]);
  const { rows, fresh, show } = useHeld(requests, useCallback(idOf, []));
  const list = useHolding<HTMLUListElement>();
  return (
    <section
      aria-labelledby={`requests-${view}`}
      className={`min-h-0 flex-col ${isChosen ? 'flex' : 'hidden lg:flex'}`}
    >
      <header className="flex h-8 items-center gap-2 px-1">
        <h2 id={`requests-${view}`} className="heading">
          {label}
        </h2>
        <span className="digits text-muted">{data?.pages[0]?.counts[view] ?? ''}</span>
        <NewRows fresh={fresh} show={show} />
      </header>
      <div className="min-h-0 flex-1 overflow-y-auto rounded-xl bg-sunken p-2">
        {!data && <NotLoaded asked={asked} what={label} />}
        {data && rows.length === 0 && <Quiet>{none}</Quiet>}
        <ul ref={list} className="space-y-2">
          {rows.map(({ row, isGone }) => (
            <RequestCard key={row.id} request={row} isGone={isGone} />
          ))}
        </ul>
        {hasNextPage && (
          <button
            type="button"
            className="btn btn-bare mt-1"
            disabled={isFetchingNextPage}
            onClick={() => void asked.fetchNextPage()}
          >
            More
          </button>
        )}
      </div>
    </section>
  );
}
