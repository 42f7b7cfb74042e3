import { useMemo } from 'react';
import type { PageLane, PageLanes } from '../../wire/index.ts';
import { serverNow, useTicking } from '../model/clock.ts';
import { Plain } from '../parts/plain-text.tsx';
import { LaneAxis, LaneGrid } from './lane-axis.tsx';
import { xOf } from './lane-paths.ts';
import { LaneRow } from './lane-row.tsx';
import { LaneTip } from './lane-tip.tsx';
import { type LaneScale, sentenceAt, spansOf } from './lane-words.ts';
import { useLaneWidth } from './use-lane-width.ts';
import { type LaneAt, usePointing } from './use-pointing.ts';

interface Props {
  data: PageLanes | undefined;
  minutes: number;
  /** Undefined: now. */
  endMs: number | undefined;
  onCells: (cells: number) => void;
}

/** The lanes with their axis. Hover and arrow keys say what is there, a click opens the agent at that time, a drag zooms. */
export function Lanes({ data, minutes, endMs, onCells }: Props) {
  const { width, place } = useLaneWidth(onCells);
  const scale = useScale(data, minutes, endMs, width);
  const groups = useMemo(() => grouped(data?.agents ?? []), [data]);
  const order = useMemo(() => groups.flatMap(([, lanes]) => lanes), [groups]);
  const { focused, shown, drag, handlers } = usePointing({ data, order, scale, place });
  return (
    <div className="relative overflow-x-clip px-4 pb-3 select-none" {...handlers}>
      <div className="lane-row h-0 min-h-0">
        <span />
        <div ref={place} />
        <span />
      </div>
      {data && width > 0 && (
        <>
          <LaneAxis scale={scale} />
          <div className="relative">
            <LaneGrid scale={scale} />
            {groups.map(([title, lanes]) => (
              <section key={title} aria-label={title}>
                <h2 className="truncate pt-2 pb-0.5 text-2xs font-semibold text-muted">
                  <Plain text={title} />
                </h2>
                <ul>
                  {lanes.map((lane) => (
                    <LaneRow
                      key={lane.id}
                      lane={lane}
                      data={data}
                      scale={scale}
                      atMs={focused?.lane.id === lane.id ? focused.ms : undefined}
                      isEntry={lane === (focused?.lane ?? order[0])}
                    />
                  ))}
                </ul>
              </section>
            ))}
            {drag && <Selection drag={drag} scale={scale} />}
          </div>
          {shown && <Tip at={shown} data={data} scale={scale} />}
        </>
      )}
    </div>
  );
}

function Tip({ at: { lane, ms }, data, scale }: { at: LaneAt; data: PageLanes; scale: LaneScale }) {
  const text = sentenceAt(lane, spansOf(lane, data, scale.toMs), data, ms);
  return <LaneTip text={text} laneId={lane.id} x={xOf(ms, scale)} />;
}

/** The time that is drawn; while it is live it moves on a cell at a time. */
function useScale(
  data: PageLanes | undefined,
  minutes: number,
  endMs: number | undefined,
  width: number,
): LaneScale {
  const cell = data?.cell_ms ?? 60_000;
  const now = Number(useTicking(() => String(Math.ceil(serverNow() / cell))));
  return useMemo(() => {
    const toMs = endMs ?? Math.max(now * cell, data ? Date.parse(data.to_utc) : 0);
    return { fromMs: toMs - minutes * 60_000, toMs, width };
  }, [now, cell, data, endMs, minutes, width]);
}

const byName = new Intl.Collator('en', { numeric: true }).compare;

/** By host and place: the agents of a project are together. */
function grouped(lanes: readonly PageLane[]): [string, PageLane[]][] {
  const groups = new Map<string, PageLane[]>();
  const hosts = new Set(lanes.map(({ host }) => host));
  for (const lane of lanes) {
    const place = lane.place ?? (lane.here ? 'No directory' : 'Other hosts');
    const title = hosts.size > 1 ? `${place} · ${lane.host}` : place;
    groups.set(title, [...(groups.get(title) ?? []), lane]);
  }
  for (const of of groups.values()) of.sort((a, b) => byName(a.name, b.name));
  return [...groups].sort(
    ([a, [one]], [b, [other]]) => Number(other!.here) - Number(one!.here) || byName(a, b),
  );
}

function Selection({ drag: { from, to }, scale }: { drag: { from: number; to: number }; scale: LaneScale }) {
  const [a, b] = [xOf(Math.min(from, to), scale), xOf(Math.max(from, to), scale)];
  return (
    <svg
      width={scale.width}
      height="100%"
      aria-hidden="true"
      className="lane-grid pointer-events-none absolute top-0"
    >
      <rect x={a} width={b - a} height="100%" fill="var(--accent)" opacity="0.15" />
    </svg>
  );
}
