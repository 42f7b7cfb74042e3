import { memo } from 'react';
import type { PageLane, PageLanes } from '../../wire/index.ts';
import { agentPath } from '../model/router.ts';
import { Link } from '../parts/link.tsx';
import { Plain } from '../parts/plain-text.tsx';
import { StateShape } from '../parts/state-mark.tsx';
import { LANE_HEIGHT, MARK_SHAPES, type MarkKind, markPath, statePaths } from './lane-paths.ts';
import { type LaneScale, sentenceAt, spansOf, timeIn } from './lane-words.ts';

interface Props {
  lane: PageLane;
  data: PageLanes;
  scale: LaneScale;
  /** The instant that the keyboard is at in this lane; undefined if it is in another one. */
  atMs: number | undefined;
  /** Its lane is reached with Tab. */
  isEntry: boolean;
}

const KINDS = Object.keys(MARK_SHAPES) as MarkKind[];

/** One agent: its name, its lane, and how much of the time it worked. */
export const LaneRow = memo(function LaneRow({ lane, data, scale, atMs, isEntry }: Props) {
  const spans = spansOf(lane, data, scale.toMs);
  const known = spans.reduce((sum, { fromMs, toMs }) => sum + toMs - fromMs, 0);
  const worked = lane.here ? timeIn(spans).get('working') : undefined;
  const now = spans.at(-1);
  const reached = spans.findIndex(({ fromMs, toMs }) => atMs !== undefined && atMs >= fromMs && atMs < toMs);
  return (
    <li className="lane-row">
      <Link href={agentPath(lane.name)} className="flex min-w-0 items-center gap-1.5 hover:underline">
        {now && <StateShape state={now.state} />}
        <span className="truncate font-medium">
          <Plain text={lane.name} />
        </span>
      </Link>
      <div
        data-lane={lane.id}
        role="slider"
        tabIndex={isEntry ? 0 : -1}
        aria-label={`States of ${lane.name}`}
        aria-valuemin={0}
        aria-valuemax={Math.max(0, spans.length - 1)}
        aria-valuenow={reached === -1 ? Math.max(0, spans.length - 1) : reached}
        aria-valuetext={sentenceAt(lane, spans, data, atMs ?? scale.toMs - 1)}
        className="flex cursor-crosshair touch-pan-y items-center self-stretch"
      >
        <svg width={scale.width} height={LANE_HEIGHT} aria-hidden="true" className="block overflow-visible">
          {statePaths(spans, scale).map(({ key, d, colour, fill, stroke }) =>
            stroke ? (
              <path
                key={key}
                d={d}
                className={colour}
                stroke="currentColor"
                strokeWidth="2"
                strokeDasharray="5 4"
              />
            ) : (
              <path key={key} d={d} className={colour} fill={fill} opacity={key === 'idle' ? 0.5 : 1} />
            ),
          )}
          {KINDS.map((kind) => (
            <path
              key={kind}
              d={markPath(kind, lane, data, scale)}
              className={MARK_SHAPES[kind].colour}
              fill="currentColor"
            />
          ))}
        </svg>
      </div>
      <span
        className="digits text-right text-xs text-muted"
        title="Share of the known time in which it worked"
      >
        {worked === undefined ? '' : `${Math.round((100 * worked) / known)} %`}
      </span>
    </li>
  );
});
