import uPlot from 'uplot';

export interface Hour {
  from_utc: string;
  wakes: number[];
  turns: number[];
}

interface Drawing {
  width: number;
  height: number;
  /** With times below it. */
  axes: boolean;
}

/** Wakes go up, turns go down: they differ in shape, not only in colour. */
export function drawHour(place: HTMLElement, hour: Hour, drawing: Drawing): uPlot {
  const style = getComputedStyle(place);
  const colour = (name: string) => resolved(place, style.getPropertyValue(name));
  const bars = uPlot.paths.bars!({ size: [0.7, 12], gap: 0 });
  const series = (stroke: string): uPlot.Series => ({
    paths: bars,
    points: { show: false },
    fill: stroke,
    width: 0,
  });
  const max = Math.max(2, ...hour.wakes, ...hour.turns);
  const options: uPlot.Options = {
    width: drawing.width,
    height: drawing.height,
    padding: drawing.axes ? [4, 18, 0, 18] : [1, 0, 1, 0],
    legend: { show: false },
    cursor: { show: false },
    scales: { x: { time: true }, y: { range: [-max, max] } },
    axes: drawing.axes
      ? [timeAxis(colour('--muted'), colour('--line')), { show: false }]
      : [{ show: false }, { show: false }],
    series: [{}, series(colour('--need')), series(colour('--work'))],
    hooks: { draw: [(plot) => baseline(plot, colour('--line'))] },
  };
  return new uPlot(options, dataOf(hour), place);
}

export function dataOf({ from_utc, wakes, turns }: Hour): uPlot.AlignedData {
  const from = Date.parse(from_utc) / 1000;
  const minutes = Array.from({ length: 60 }, (_, minute) => minute);
  return [
    minutes.map((minute) => from + minute * 60),
    minutes.map((minute) => wakes[minute] ?? 0),
    minutes.map((minute) => -(turns[minute] ?? 0)),
  ];
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

const timeAxis = (ink: string, line: string): uPlot.Axis => ({
  stroke: ink,
  font: '11px Inter, sans-serif',
  size: 22,
  gap: 4,
  grid: { stroke: line, width: 1 },
  ticks: { show: false },
  incrs: [600, 900],
  values: (_, times) =>
    times.map((at) =>
      new Date(at * 1000).toLocaleTimeString(undefined, {
        hour: '2-digit',
        minute: '2-digit',
        hourCycle: 'h23',
      }),
    ),
});

function baseline({ ctx, bbox, valToPos }: uPlot, colour: string): void {
  const y = Math.round(valToPos(0, 'y', true));
  ctx.save();
  ctx.fillStyle = colour;
  ctx.fillRect(bbox.left, y, bbox.width, 1);
  ctx.restore();
}
