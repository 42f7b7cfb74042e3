import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { PageWait } from '../../wire/index.ts';
import { allWaits } from '../live/queries.ts';
import { lengthInWords, serverNow } from '../model/clock.ts';
import { plain } from '../model/plain.ts';
import { useQueryWord, withQuery } from '../model/router.ts';
import { Age } from '../parts/age.tsx';
import { NotLoaded } from '../parts/feedback.tsx';
import { Link } from '../parts/link.tsx';
import { Plain } from '../parts/plain-text.tsx';

/** More names than this are only in the list. */
const MAX_NAMES = 30;
const MAX_ROWS = 50;

/** Who waits for whom: a matrix of names, with circles marked, and the list behind it. */
export function WaitsMatrix() {
  const asked = useQuery(allWaits);
  const chosen = useQueryWord('wait');
  const { data } = asked;
  if (!data) return <NotLoaded asked={asked} what="waits" rows={2} />;
  const { waits, troubles } = data;
  const shown = chosen === undefined ? waits : waits.filter((each) => keyOf(each) === chosen);
  return (
    <section aria-labelledby="waits" className="card overflow-hidden">
      <header className="flex flex-wrap items-center gap-3 px-4 py-2">
        <h2 id="waits" className="heading">
          Who waits for whom
        </h2>
        {waits.some(({ mutual }) => mutual) && (
          <span className="chip bg-need-soft text-need">↻ some wait for each other</span>
        )}
        {chosen !== undefined && (
          <Link href={withQuery({ wait: undefined })} className="chip bg-accent-soft text-accent">
            All waits
          </Link>
        )}
      </header>
      {waits.length === 0 && <p className="px-4 pb-3 text-muted">No one waits for an answer.</p>}
      {waits.length > 0 && <Matrix waits={waits} />}
      <WaitList waits={shown} />
      {troubles.map((trouble) => (
        <p key={trouble} className="px-4 pb-2 text-wait">
          Not read: <Plain text={trouble} />
        </p>
      ))}
    </section>
  );
}

const keyOf = ({ waiter, whom }: Pick<PageWait, 'waiter' | 'whom'>): string => `${waiter} ${whom}`;

function Matrix({ waits }: { waits: readonly PageWait[] }) {
  const { rows, columns, cells } = useMemo(() => matrixOf(waits), [waits]);
  return (
    <section className="overflow-x-auto px-4 pb-3" aria-label="Waits by name" tabIndex={-1}>
      <table className="digits border-separate border-spacing-0.5 text-center text-xs">
        <caption className="sr-only">Rows wait for columns. ↻ marks those who wait for each other.</caption>
        <thead>
          <tr>
            <td className="pr-2 text-left text-2xs text-muted">waits ↓ for →</td>
            {columns.map((name) => (
              <th key={name} scope="col" className="max-w-24 truncate px-1 font-medium">
                <Plain text={name} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((waiter) => (
            <tr key={waiter}>
              <th scope="row" className="max-w-40 truncate pr-2 text-left font-medium">
                <Plain text={waiter} />
              </th>
              {columns.map((whom) => (
                <Cell key={whom} waits={cells.get(`${waiter} ${whom}`)} />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function Cell({ waits }: { waits: readonly PageWait[] | undefined }) {
  if (!waits) return <td className="h-7 min-w-10 rounded bg-bg" />;
  const [first] = waits;
  const isMutual = waits.some(({ mutual }) => mutual);
  const isLate = waits.some(({ overdue }) => overdue);
  const age = lengthInWords(serverNow() - Date.parse(first!.since_utc));
  const words = `${plain(first!.waiter)} waits for ${plain(first!.whom)}: ${waits.length}, the oldest for ${age}${isMutual ? '; they wait for each other' : ''}${isLate ? '; overdue' : ''}`;
  const look = isMutual || isLate ? 'bg-need-soft text-need' : 'bg-wait-soft text-wait';
  return (
    <td>
      <Link
        href={waits.length === 1 && first!.href ? first!.href : withQuery({ wait: keyOf(first!) })}
        aria-label={words}
        title={words}
        className={`flex h-7 min-w-10 items-center justify-center rounded font-bold ${look} ${isMutual ? 'border-2 border-need' : ''}`}
      >
        {waits.length}
        {isMutual && ' ↻'}
        {isLate && ' !'}
      </Link>
    </td>
  );
}

function matrixOf(waits: readonly PageWait[]) {
  const cells = new Map<string, PageWait[]>();
  for (const wait of waits) cells.set(keyOf(wait), [...(cells.get(keyOf(wait)) ?? []), wait]);
  return { rows: most(waits, 'waiter'), columns: most(waits, 'whom'), cells };
}

/** Those in a circle first, then those with the most waits. */
function most(waits: readonly PageWait[], side: 'waiter' | 'whom'): string[] {
  const weight = new Map<string, number>();
  for (const wait of waits) weight.set(wait[side], (weight.get(wait[side]) ?? 0) + (wait.mutual ? 1000 : 1));
  return [...weight]
    .sort(([a, x], [b, y]) => y - x || a.localeCompare(b))
    .slice(0, MAX_NAMES)
    .map(([name]) => name);
}

function WaitList({ waits }: { waits: readonly PageWait[] }) {
  return (
    <ul>
      {waits.slice(0, MAX_ROWS).map((wait) => (
        <li
          key={`${keyOf(wait)} ${wait.since_utc} ${wait.subject}`}
          className="flex flex-wrap items-baseline gap-x-2 border-t border-line px-4 py-1"
        >
          <span>
            <b className="font-medium">
              <Plain text={wait.waiter} />
            </b>{' '}
            waits for{' '}
            <b className="font-medium">
              <Plain text={wait.whom} />
            </b>
          </span>
          {wait.href ? (
            <Link data-row href={wait.href} className="min-w-0 text-accent hover:underline">
              <Plain text={wait.subject} />
            </Link>
          ) : (
            <Plain text={wait.subject} />
          )}
          <span className="text-xs text-muted">
            <Age utc={wait.since_utc} />
            {wait.overdue && <b className="ml-1.5 font-semibold text-need">overdue</b>}
            {wait.mutual && <b className="ml-1.5 font-semibold text-need">↻ each other</b>}
          </span>
        </li>
      ))}
      {waits.length > MAX_ROWS && (
        <li className="border-t border-line px-4 py-1 text-muted">{waits.length - MAX_ROWS} more</li>
      )}
    </ul>
  );
}
