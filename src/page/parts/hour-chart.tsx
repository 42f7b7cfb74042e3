import { useEffect, useRef } from 'react';
import type uPlot from 'uplot';
import { settings } from '../model/settings.ts';
import type { Hour } from './draw-hour.ts';

type Drawing = typeof import('./draw-hour.ts');

/** Loaded when the first chart becomes visible, so that it does not delay the page. Without it there is no chart. */
let loading: Promise<Drawing> | undefined;
function load(use: (drawing: Drawing) => void): void {
  loading ??= import('./draw-hour.ts');
  loading.then(use, () => {
    loading = undefined;
  });
}

const sum = (numbers: readonly number[]): number => numbers.reduce((all, each) => all + each, 0);
const times = (count: number, word: string): string => `${count} ${word}${count === 1 ? '' : 's'}`;

interface Props {
  hour: Hour;
  height: number;
  axes?: boolean;
  className?: string;
}

/** Wakes (up) and turns (down) of the last hour. */
export function HourChart({ hour, height, axes = false, className = '' }: Props) {
  const place = useRef<HTMLDivElement>(null);
  const label = `Last hour: ${times(sum(hour.wakes), 'wake')}, ${times(sum(hour.turns), 'turn')}`;
  const latest = useRef(hour);
  const plot = useRef<uPlot>(undefined);
  useEffect(() => {
    latest.current = hour;
    if (plot.current) load(({ dataOf }) => plot.current?.setData(dataOf(hour)));
  }, [hour]);
  useEffect(() => {
    const element = place.current;
    if (!element) return;
    return drawInSight(element, (draw) => {
      plot.current?.destroy();
      plot.current = draw?.(element, latest.current, { width: element.clientWidth || 120, height, axes });
    });
  }, [height, axes]);
  return (
    <div
      ref={place}
      role="img"
      aria-label={label}
      title={label}
      className={`overflow-hidden ${className} ${axes ? 'h-[72px]' : 'h-[26px]'}`}
    />
  );
}

type Draw = Drawing['drawHour'];

/** Draws while visible, and again when size or theme change. `draw` is called with undefined at the end. */
function drawInSight(element: HTMLElement, draw: (how: Draw | undefined) => void): () => void {
  let isInSight = false;
  let width = 0;
  const redraw = (): void => {
    if (!isInSight) return;
    width = element.clientWidth;
    load(({ drawHour }) => isInSight && draw(drawHour));
  };
  const sight = new IntersectionObserver(
    ([entry]) => {
      const isNew = entry?.isIntersecting && !isInSight;
      isInSight ||= Boolean(entry?.isIntersecting);
      if (isNew) redraw();
    },
    { rootMargin: '100px' },
  );
  const size = new ResizeObserver(() => element.clientWidth !== width && redraw());
  sight.observe(element);
  size.observe(element);
  const theme = settings.subscribe(redraw);
  const system = matchMedia('(prefers-color-scheme: dark)');
  system.addEventListener('change', redraw);
  return () => {
    isInSight = false;
    sight.disconnect();
    size.disconnect();
    theme();
    system.removeEventListener('change', redraw);
    draw(undefined);
  };
}
