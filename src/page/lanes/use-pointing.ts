import {
  type FocusEvent,
  type KeyboardEvent,
  type PointerEvent,
  type RefObject,
  useRef,
  useState,
} from 'react';
import type { PageLane, PageLanes } from '../../wire/index.ts';
import { agentPath, goTo, withQuery } from '../model/router.ts';
import { type LaneScale, spansOf } from './lane-words.ts';

/** A time in a lane. */
export interface LaneAt {
  lane: PageLane;
  ms: number;
}

interface Pointing {
  data: PageLanes | undefined;
  order: readonly PageLane[];
  scale: LaneScale;
  /** An element as wide as the lanes. */
  place: RefObject<HTMLDivElement | null>;
}

const idOf = ({ target }: { target: EventTarget }): string | null | undefined =>
  (target as Element).closest('[data-lane]')?.getAttribute('data-lane');

/** Where the pointer or the keyboard is in the lanes. A click and Enter open the agent at that time, a drag zooms. */
export function usePointing(on: Pointing) {
  const { drag, hovered, pointer } = usePointer(on);
  const { focused, keyboard } = useKeys(on);
  return { focused, drag, shown: hovered ?? focused, handlers: { ...pointer, ...keyboard } };
}

/** A drag shorter than this is a click. */
const DRAG_PX = 6;

function usePointer({ order, scale, place }: Pointing) {
  const [hovered, setHovered] = useState<LaneAt>();
  const [drag, setDrag] = useState<{ from: number; to: number }>();
  const began = useRef<LaneAt & { x: number }>(undefined);
  const timeAt = ({ clientX }: PointerEvent): number => {
    const box = place.current!.getBoundingClientRect();
    const part = Math.min(1, Math.max(0, (clientX - box.left) / box.width));
    return scale.fromMs + part * (scale.toMs - scale.fromMs);
  };
  const atOf = (event: PointerEvent): LaneAt | undefined => {
    const lane = order.find(({ id }) => id === idOf(event));
    return lane && { lane, ms: timeAt(event) };
  };
  const end = (): void => {
    began.current = undefined;
    setDrag(undefined);
  };
  const pointer = {
    onPointerMove: (event: PointerEvent): void => {
      const from = began.current;
      if (from && Math.abs(event.clientX - from.x) >= DRAG_PX) setDrag({ from: from.ms, to: timeAt(event) });
      setHovered(from && drag ? undefined : atOf(event));
    },
    onPointerLeave: () => setHovered(undefined),
    onPointerDown: (event: PointerEvent): void => {
      const at = event.button === 0 ? atOf(event) : undefined;
      if (at) began.current = { ...at, x: event.clientX };
    },
    onPointerUp: (): void => {
      const from = began.current;
      end();
      if (drag) zoom(drag.from, drag.to);
      else if (from) openAt(from);
    },
    onPointerCancel: end,
  };
  return { drag, hovered, pointer };
}

function useKeys({ data, order, scale }: Pointing) {
  const [focused, setFocused] = useState<LaneAt>();
  const end = scale.toMs - 1;
  const keyboard = {
    onKeyDown: (event: KeyboardEvent): void => {
      const lane = order.find(({ id }) => id === idOf(event));
      if (!lane || !data) return;
      const at = focused?.lane.id === lane.id ? focused : { lane, ms: end };
      if (event.key === 'Enter' || event.key === ' ') {
        event.preventDefault();
        openAt(at);
        return;
      }
      const next = moved(event.key, at, { data, order, scale });
      if (!next) return;
      event.preventDefault();
      setFocused(next);
      event.currentTarget.querySelector<HTMLElement>(`[data-lane="${CSS.escape(next.lane.id)}"]`)?.focus();
    },
    onFocus: (event: FocusEvent): void => {
      const lane = order.find(({ id }) => id === idOf(event));
      if (lane && focused?.lane.id !== lane.id) setFocused({ lane, ms: focused?.ms ?? end });
    },
    onBlur: (event: FocusEvent): void => {
      if (!event.currentTarget.contains(event.relatedTarget)) setFocused(undefined);
    },
  };
  return { focused, keyboard };
}

/** Left and right go through the states of a lane, up and down through the lanes. */
function moved(
  key: string,
  { lane, ms }: LaneAt,
  { data, order, scale }: { data: PageLanes; order: readonly PageLane[]; scale: LaneScale },
): LaneAt | undefined {
  if (key === 'ArrowUp' || key === 'ArrowDown') {
    const next = order[order.indexOf(lane) + (key === 'ArrowUp' ? -1 : 1)];
    return next && { lane: next, ms };
  }
  const spans = spansOf(lane, data, scale.toMs);
  const now = spans.findIndex((span) => ms >= span.fromMs && ms < span.toMs);
  const wanted = { ArrowLeft: now - 1, ArrowRight: now + 1, Home: 0, End: spans.length - 1 }[key];
  const span = wanted === undefined ? undefined : spans[wanted];
  return span && { lane, ms: Math.max(scale.fromMs, (span.fromMs + span.toMs) / 2) };
}

const openAt = ({ lane, ms }: LaneAt): void =>
  goTo(`${agentPath(lane.name)}?${new URLSearchParams({ at: new Date(ms).toISOString() }).toString()}`);

const MIN_MINUTES = 5;

function zoom(a: number, b: number): void {
  const [from, to] = a < b ? [a, b] : [b, a];
  const minutes = Math.max(MIN_MINUTES, Math.ceil((to - from) / 60_000));
  goTo(withQuery({ minutes: String(minutes), to: new Date(from + minutes * 60_000).toISOString() }));
}
