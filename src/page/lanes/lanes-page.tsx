import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { live, useLive } from '../live/live.ts';
import { lanesOf } from '../live/queries.ts';
import { dayOf, serverNow } from '../model/clock.ts';
import { goTo, useQueryWord, withQuery } from '../model/router.ts';
import { NotLoaded, Quiet } from '../parts/feedback.tsx';
import { Link } from '../parts/link.tsx';
import { Plain } from '../parts/plain-text.tsx';
import { WaitsMatrix } from '../waits/waits-matrix.tsx';
import { LanePatterns } from './lane-axis.tsx';
import { LaneTable } from './lane-table.tsx';
import { clock } from './lane-words.ts';
import { Lanes } from './lanes.tsx';
import { Legend } from './legend.tsx';

const RANGES = [
  [60, '1 h'],
  [480, '8 h'],
  [1440, '24 h'],
  [10_080, '7 days'],
] as const;

const DEFAULT_MINUTES = 480;
const MAX_MINUTES = 10_080;

/** What is shown is in the address. Without an end, the lanes end now. */
function useRange(): { minutes: number; to: string | undefined } {
  const asked = Number(useQueryWord('minutes'));
  const to = useQueryWord('to');
  const minutes = Number.isInteger(asked) && asked >= 5 && asked <= MAX_MINUTES ? asked : DEFAULT_MINUTES;
  return { minutes, to: to !== undefined && Number.isFinite(Date.parse(to)) ? to : undefined };
}

export const rangeAddress = (minutes: number, to: string | undefined): string =>
  withQuery({ minutes: minutes === DEFAULT_MINUTES ? undefined : String(minutes), to });

/** Every agent's states over time, one lane each. */
export default function LanesPage() {
  const { minutes, to } = useRange();
  const [cells, setCells] = useState<number>();
  const asked = useQuery({ ...lanesOf({ minutes, to, cells: cells ?? 0 }), enabled: cells !== undefined });
  const { data } = asked;
  useFresh(asked, to === undefined);
  const endMs = to === undefined ? serverNow() : Date.parse(to);
  return (
    <div className="mx-auto max-w-[110rem] space-y-3 p-3 md:p-4">
      <section aria-labelledby="lanes" className="card">
        <header className="flex flex-wrap items-center gap-x-3 gap-y-1 px-4 py-2">
          <h1 id="lanes" className="heading">
            Activity
          </h1>
          <Ranges minutes={minutes} to={to} />
          <Link href="/ui/day" className="chip text-muted hover:bg-sunken">
            What happened
          </Link>
          <Link href="/ui/health" className="chip text-muted hover:bg-sunken">
            Health
          </Link>
          <Legend />
        </header>
        <LanePatterns />
        <Lanes
          data={data}
          minutes={minutes}
          endMs={to === undefined ? undefined : endMs}
          onCells={setCells}
        />
        {!data && <NotLoaded asked={asked} what="lanes" rows={8} isBare />}
        {data?.agents.length === 0 && <Quiet>No agents yet.</Quiet>}
        {data && data.agents.length > 0 && <LaneTable data={data} endMs={endMs} />}
        {data?.troubles.map((trouble) => (
          <p key={trouble} className="px-4 pb-2 text-wait">
            <Plain text={trouble} />
          </p>
        ))}
      </section>
      <WaitsMatrix />
    </div>
  );
}

/** Fetches again only after something changed, and not more often than a cell is long. */
function useFresh(
  asked: { data?: { cell_ms: number } | undefined; dataUpdatedAt: number; refetch: () => unknown },
  isLive: boolean,
): void {
  const seq = useLive(({ picture }) => picture?.seq);
  const seen = useRef<{ at: number; seq: number | undefined }>({ at: 0, seq: undefined });
  const { data, dataUpdatedAt, refetch } = asked;
  useEffect(() => {
    if (!data || !isLive) return;
    if (seen.current.at !== dataUpdatedAt) seen.current = { at: dataUpdatedAt, seq: live.get().picture?.seq };
    if (seen.current.seq === seq) return;
    const pause = Math.max(5000, data.cell_ms) - (Date.now() - dataUpdatedAt);
    const timer = setTimeout(() => void refetch(), Math.max(0, pause));
    return () => clearTimeout(timer);
  }, [data, dataUpdatedAt, isLive, refetch, seq]);
}

function Ranges({ minutes, to }: { minutes: number; to: string | undefined }) {
  const isChosen = (each: number): boolean => to === undefined && each === minutes;
  const step = (sign: 1 | -1): string => {
    const end = (to === undefined ? serverNow() : Date.parse(to)) + (sign * minutes * 60_000) / 2;
    return rangeAddress(minutes, end >= serverNow() ? undefined : new Date(end).toISOString());
  };
  return (
    <nav aria-label="Time that is shown" className="flex flex-wrap items-center gap-1">
      {RANGES.map(([each, label]) => (
        <Link
          key={each}
          href={rangeAddress(each, undefined)}
          aria-current={isChosen(each) ? 'true' : undefined}
          className="chip text-muted hover:bg-sunken aria-[current]:bg-accent-soft aria-[current]:text-accent"
        >
          {label}
        </Link>
      ))}
      <button
        type="button"
        className="btn btn-bare min-h-6 px-2"
        aria-label="Earlier"
        onClick={() => goTo(step(-1), 'replace')}
      >
        ‹
      </button>
      {to !== undefined && (
        <>
          <button
            type="button"
            className="btn btn-bare min-h-6 px-2"
            aria-label="Later"
            onClick={() => goTo(step(1), 'replace')}
          >
            ›
          </button>
          <span className="digits text-xs text-muted">
            {dayOf(to).slice(0, 3)} {clock(Date.parse(to) - minutes * 60_000)}–{clock(Date.parse(to))}
          </span>
          <Link href={rangeAddress(minutes, undefined)} className="chip bg-accent-soft text-accent">
            Now
          </Link>
        </>
      )}
      {!RANGES.some(([each]) => each === minutes) && (
        <Link
          href={rangeAddress(RANGES.find(([each]) => each > minutes)?.[0] ?? MAX_MINUTES, to)}
          className="chip bg-accent-soft text-accent"
        >
          Zoom out
        </Link>
      )}
    </nav>
  );
}
