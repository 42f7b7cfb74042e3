import { LANE_HEIGHT, xOf } from './lane-paths.ts';
import { type LaneScale, ticksOf } from './lane-words.ts';

/** The times above the lanes. */
export function LaneAxis({ scale }: { scale: LaneScale }) {
  return (
    <div className="lane-row h-6 text-2xs text-muted" aria-hidden="true">
      <span />
      <svg aria-hidden="true" width={scale.width} height={LANE_HEIGHT} className="overflow-visible">
        {ticksOf(scale).map(({ ms, label }) => {
          const x = xOf(ms, scale);
          const anchor = x < 16 ? 'start' : x > scale.width - 16 ? 'end' : 'middle';
          return (
            <text key={ms} x={x} y={13} textAnchor={anchor} fill="currentColor" className="digits">
              {label}
            </text>
          );
        })}
      </svg>
      <span className="text-right">worked</span>
    </div>
  );
}

/** Lines through all lanes at the times of the axis. */
export function LaneGrid({ scale }: { scale: LaneScale }) {
  return (
    <svg
      width={scale.width}
      height="100%"
      aria-hidden="true"
      className="lane-grid pointer-events-none absolute top-0"
    >
      {ticksOf(scale).map(({ ms }) => (
        <rect key={ms} x={Math.round(xOf(ms, scale))} width="1" height="100%" fill="var(--line)" />
      ))}
    </svg>
  );
}

/** The patterns of hatched states, for every lane of the page. */
export function LanePatterns() {
  return (
    <svg width="0" height="0" aria-hidden="true" className="absolute">
      <defs>
        {(['waiting', 'starting'] as const).map((state) => (
          <pattern
            key={state}
            id={`lane-${state}`}
            width="5"
            height="5"
            patternUnits="userSpaceOnUse"
            patternTransform="rotate(45)"
          >
            <rect width="5" height="5" fill={state === 'waiting' ? 'var(--wait-soft)' : 'var(--work-soft)'} />
            <rect width="2.2" height="5" fill={state === 'waiting' ? 'var(--wait)' : 'var(--work)'} />
          </pattern>
        ))}
      </defs>
    </svg>
  );
}
