import type { PageLane, PageLanes } from '../../wire/index.ts';
import type { LaneScale, TimedSpan } from './lane-words.ts';

/** An 18 px lane: the states in the middle, marks below. */
export const LANE_HEIGHT = 18;
const MIDDLE = 7;

type State = TimedSpan['state'];

/** How each state is drawn: never by colour alone. */
const SHAPES: Record<
  State,
  { shape: 'block' | 'hatched' | 'notched' | 'line' | 'dashed' | 'none'; colour: string }
> = {
  needs_you: { shape: 'notched', colour: 'text-need' },
  working: { shape: 'block', colour: 'text-work' },
  waiting: { shape: 'hatched', colour: 'text-wait' },
  starting: { shape: 'hatched', colour: 'text-work' },
  idle: { shape: 'line', colour: 'text-idle' },
  not_watched: { shape: 'none', colour: 'text-gone' },
  gone: { shape: 'dashed', colour: 'text-gone' },
  elsewhere: { shape: 'line', colour: 'text-gone' },
};

export interface LanePath {
  key: State;
  d: string;
  colour: string;
  fill: string;
  stroke: boolean;
}

const round = (value: number): number => Math.round(value * 10) / 10;

/** One path for each state, however many spans it has. */
export function statePaths(spans: readonly TimedSpan[], scale: LaneScale): LanePath[] {
  const paths = new Map<State, string[]>();
  for (const { state, fromMs, toMs } of spans) {
    const x = xOf(fromMs, scale);
    const width = Math.max(state === 'needs_you' ? 3 : 1, xOf(toMs, scale) - x);
    const parts = paths.get(state) ?? [];
    parts.push(shapeOf(state, x, width));
    paths.set(state, parts);
  }
  return [...paths].map(([state, parts]) => {
    const { shape, colour } = SHAPES[state];
    const fill = shape === 'hatched' ? `url(#lane-${state})` : 'currentColor';
    return { key: state, d: parts.join(''), colour, fill, stroke: shape === 'dashed' };
  });
}

function shapeOf(state: State, x: number, width: number): string {
  const [left, w] = [round(x), round(width)];
  switch (SHAPES[state].shape) {
    case 'block':
      return `M${left} ${MIDDLE - 5}h${w}v10h${-w}z`;
    case 'hatched':
      return `M${left} ${MIDDLE - 4}h${w}v8h${-w}z`;
    case 'notched': {
      // The notch: a flag that sticks out at its beginning.
      const flag = Math.min(w, 6);
      return `M${left} 0h${flag}l${-flag / 2} 2h${round(w - flag / 2)}v12h${-w}z`;
    }
    case 'line':
      return `M${left} ${MIDDLE - 1}h${w}v2h${-w}z`;
    case 'dashed':
      return `M${left} ${MIDDLE}h${w}`;
    default:
      return '';
  }
}

export const xOf = (ms: number, { fromMs, toMs, width }: LaneScale): number =>
  Math.min(width, Math.max(0, ((ms - fromMs) / (toMs - fromMs)) * width));

/** Marks below the states: a stroke for wakes, a ring for mail, a diamond for requests. */
export const MARK_SHAPES = {
  wakes: { colour: 'text-accent', draw: (x: number) => `M${x - 0.75} 13h1.500v5h-1.500z` },
  mail: { colour: 'text-muted', draw: (x: number) => `M${x - 2} 15.500a2 2 0 1 0 4 0a2 2 0 1 0 -4 0z` },
  requests: { colour: 'text-need', draw: (x: number) => `M${x} 12.500l3 3l-3 3l-3 -3z` },
} as const;

export type MarkKind = keyof typeof MARK_SHAPES;

/** Marks closer than this are one. */
const NEAR_PX = 5;

export function markPath(
  kind: MarkKind,
  lane: PageLane,
  { from_utc, cell_ms }: PageLanes,
  scale: LaneScale,
): string {
  const from = Date.parse(from_utc);
  let last = Number.NEGATIVE_INFINITY;
  const parts: string[] = [];
  for (const [cell] of lane[kind]) {
    const ms = from + (cell + 0.5) * cell_ms;
    const x = round(xOf(ms, scale));
    if (ms < scale.fromMs || x - last < NEAR_PX) continue;
    last = x;
    parts.push(MARK_SHAPES[kind].draw(x));
  }
  return parts.join('');
}
