import { useInfiniteQuery } from '@tanstack/react-query';
import { useCallback, useMemo } from 'react';
import type { PageRequestList, PageRequestRow } from '../../wire/index.ts';
import { useMay } from '../frame/session-context.ts';
import { type RequestsView, requestList } from '../live/queries.ts';
import { goTo, useQueryWord, withQuery } from '../model/router.ts';
import { NotLoaded, Quiet } from '../parts/feedback.tsx';
import { useHeld } from '../parts/held.ts';
import { useHolding } from '../parts/holding.ts';
import { Icon } from '../parts/icons.tsx';
import { Link } from '../parts/link.tsx';
import { NewRows } from '../parts/new-rows.tsx';
import { NewRequest } from './new-request.tsx';
import { RequestCard } from './request-card.tsx';
import { RequestDrawer } from './request-drawer.tsx';

const VIEWS: readonly { view: RequestsView; label: string; none: string }[] = [
  { view: 'for_me', label: 'To answer', none: 'No one is waiting for you.' },
  { view: 'waiting', label: 'Waiting for agents', none: 'No open requests to agents.' },
  { view: 'answered', label: 'Answered', none: 'No answers yet.' },
  { view: 'expired', label: 'Closed unanswered', none: 'Nothing was closed without an answer.' },
];

/** Whom a request to people asks. */
const ASKED = [
  { of: undefined, label: 'Mine and anyone’s', count: 'for_me', none: undefined },
  { of: 'me', label: 'Mine', count: 'mine', none: 'Nothing is asked of you by name.' },
  { of: 'anyone', label: 'Anyone’s', count: 'anyone', none: 'Nothing is asked of anyone.' },
  { of: 'others', label: 'Other people’s', count: 'others', none: 'Nothing is asked of other people.' },
] as const;

/** Requests and their answers in four columns; one column at a time on a narrow screen. */
export default function RequestsPage() {
  const asked = useQueryWord('view');
  const isWriting = useQueryWord('write') !== undefined;
  const chosen = VIEWS.find(({ view }) => view === asked)?.view ?? 'for_me';
  const may = useMay('answer');
  return (
    <div className="flex flex-col p-3 md:p-4 lg:h-[calc(100dvh-3rem)]">
      <header className="mb-2 flex flex-wrap items-center gap-2">
        <h1 className="heading shrink-0">Requests</h1>
        {may && (
          <Link href={withQuery({ write: 'new' })} data-key="n" className="btn btn-main ml-auto">
            <Icon name="plus" size={15} />
            New request
          </Link>
        )}
      </header>
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
      {isWriting && may && <NewRequest onClose={() => goTo(withQuery({ write: undefined }))} />}
    </div>
  );
}

/** Narrows what is to be answered to whom it asks. */
function Asked({ counts }: { counts: PageRequestList['counts'] | undefined }) {
  const chosen = useQueryWord('of');
  return (
    <select
      className="field min-h-7 w-auto min-w-0 py-0 text-xs"
      aria-label="Asked of"
      value={chosen ?? ''}
      onChange={({ target }) => goTo(withQuery({ of: target.value || undefined }))}
    >
      {ASKED.map(({ of, label, count }) => (
        <option key={label} value={of ?? ''}>
          {label} {counts ? `(${counts[count]})` : ''}
        </option>
      ))}
    </select>
  );
}

const idOf = ({ id }: PageRequestRow): string => id;

function Column({ view, label, none, isChosen }: (typeof VIEWS)[number] & { isChosen: boolean }) {
  const word = useQueryWord('of');
  const of = view === 'for_me' ? ASKED.find((each) => each.of === word) : undefined;
  const asked = useInfiniteQuery(requestList(view, of?.of));
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
        <span className="digits text-muted">{data?.pages[0]?.counts[of?.count ?? view] ?? ''}</span>
        {view === 'for_me' && <Asked counts={data?.pages[0]?.counts} />}
        <NewRows fresh={fresh} show={show} />
      </header>
      <div className="min-h-0 flex-1 overflow-y-auto rounded-xl bg-sunken p-2">
        {!data && <NotLoaded asked={asked} what={label} />}
        {data && rows.length === 0 && <Quiet>{of?.none ?? none}</Quiet>}
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
