/** One metric in the text format of Prometheus. */
export interface Metric {
  name: string;
  type: 'counter' | 'gauge';
  help: string;
  series: readonly MetricSeries[];
}

export type MetricSeries = readonly [labels: Readonly<Record<string, string>>, value: number];

export interface Histogram extends Omit<Metric, 'type' | 'series'> {
  /** Upper bounds of the buckets, ascending. */
  bounds: readonly number[];
  series: readonly (readonly [labels: Readonly<Record<string, string>>, counted: Counted])[];
}

/** `buckets[i]`: how many were at most `bounds[i]`. */
export interface Counted {
  count: number;
  sum: number;
  buckets: readonly number[];
}

export const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

export function metricText(metrics: readonly Metric[]): string {
  return lines(
    metrics.flatMap(({ name, type, help, series }) => [
      ...head(name, type, help),
      ...series.map(([labels, value]) => `${name}${inBraces(labels)} ${value}`),
    ]),
  );
}

export function histogramText({ name, help, bounds, series }: Histogram): string {
  const rows = series.flatMap(([labels, { count, sum, buckets }]) => [
    ...bounds.map((bound, i) => `${name}_bucket${inBraces({ ...labels, le: `${bound}` })} ${buckets[i]}`),
    `${name}_bucket${inBraces({ ...labels, le: '+Inf' })} ${count}`,
    `${name}_sum${inBraces(labels)} ${sum}`,
    `${name}_count${inBraces(labels)} ${count}`,
  ]);
  return lines([...head(name, 'histogram', help), ...rows]);
}

const head = (name: string, type: string, help: string): string[] => [
  `# HELP ${name} ${help}`,
  `# TYPE ${name} ${type}`,
];

const lines = (all: readonly string[]): string => `${all.join('\n')}\n`;

function inBraces(labels: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(labels).map(([key, value]) => `${key}=${JSON.stringify(value)}`);
  return pairs.length > 0 ? `{${pairs.join(',')}}` : '';
}
