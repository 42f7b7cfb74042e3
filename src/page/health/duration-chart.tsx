import { useEffect, useRef } from 'react';
import type uPlot from 'uplot';
import { settings } from '../model/settings.ts';
import { drawDurations } from './draw-durations.ts';
import { quantile, secondsInWords } from './durations.ts';

interface Props {
  title: string;
  counts: readonly number[];
  bounds: readonly number[];
}

const HEIGHT = 120;

/** How long something took, with the half and the slowest twentieth marked. */
export function DurationChart({ title, counts, bounds }: Props) {
  const place = useRef<HTMLDivElement>(null);
  const all = counts.reduce((sum, each) => sum + each, 0);
  const half = quantile(0.5, counts, bounds);
  const most = quantile(0.95, counts, bounds);
  useEffect(() => {
    const element = place.current;
    if (!element) return;
    let plot: uPlot | undefined;
    const marks = [half, most].flatMap((each) => (each === undefined ? [] : [bounds.indexOf(each)]));
    const draw = (): void => {
      plot?.destroy();
      plot = drawDurations(element, counts, { width: element.clientWidth, height: HEIGHT, bounds, marks });
    };
    const size = new ResizeObserver(draw);
    size.observe(element);
    const theme = settings.subscribe(draw);
    const system = matchMedia('(prefers-color-scheme: dark)');
    system.addEventListener('change', draw);
    return () => {
      size.disconnect();
      theme();
      system.removeEventListener('change', draw);
      plot?.destroy();
    };
  }, [counts, bounds, half, most]);
  const words = `${all} wakes: half within ${secondsInWords(half)}, 95 % within ${secondsInWords(most)}`;
  return (
    <section aria-label={title} className="card p-4">
      <h2 className="heading">{title}</h2>
      <p className="digits text-muted">{all === 0 ? 'None in this time.' : words}</p>
      <div ref={place} role="img" aria-label={`${title}: ${words}`} className="h-[120px] overflow-hidden" />
    </section>
  );
}
