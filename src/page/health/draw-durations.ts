import uPlot from 'uplot';
import { secondsInWords } from './durations.ts';

interface Drawing {
  width: number;
  height: number;
  bounds: readonly number[];
  /** Buckets that are marked: p50 and p95. */
  marks: readonly number[];
}

/** A histogram over buckets that grow by a constant factor: a logarithmic axis. */
export function drawDurations(place: HTMLElement, counts: readonly number[], drawing: Drawing): uPlot {
  const { width, height, bounds, marks } = drawing;
  const probe = getComputedStyle(place);
  const colour = (name: string): string => resolved(place, probe.getPropertyValue(name));
  const accent = colour('--accent');
  const options: uPlot.Options = {
    width,
    height,
    padding: [8, 8, 0, 8],
    legend: { show: false },
    cursor: { show: false },
    scales: {
      x: { time: false, range: [-0.5, bounds.length - 0.5] },
      y: { range: [0, Math.max(2, ...counts)] },
    },
    axes: [
      {
        stroke: colour('--muted'),
        font: '11px Inter, sans-serif',
        size: 22,
        gap: 4,
        grid: { stroke: colour('--line'), width: 1 },
        ticks: { show: false },
        splits: () => bounds.flatMap((_, at) => (at % 8 === 0 ? [at] : [])),
        values: (_, at) => at.map((bucket) => secondsInWords(bounds[bucket])),
      },
      { show: false },
    ],
    series: [
      {},
      {
        paths: uPlot.paths.bars!({ size: [0.85, 24], gap: 0 }),
        points: { show: false },
        fill: colour('--work'),
        width: 0,
      },
    ],
    hooks: {
      draw: [
        ({ ctx, bbox, valToPos }) => {
          ctx.save();
          ctx.fillStyle = accent;
          for (const mark of marks)
            ctx.fillRect(
              Math.round(valToPos(mark + 0.5, 'x', true)),
              bbox.top,
              2 * devicePixelRatio,
              bbox.height,
            );
          ctx.restore();
        },
      ],
    },
  };
  return new uPlot(options, [bounds.map((_, at) => at), [...counts]], place);
}

/** A canvas does not know light-dark(), so the browser resolves the colour first. */
function resolved(place: HTMLElement, value: string): string {
  const probe = document.createElement('span');
  probe.style.color = value;
  place.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}
