import { histogramText, metricText } from '../../base/index.ts';

const BOUNDS = [0.005, 0.025, 0.1, 0.5, 2.5, 10, 30];

interface Series {
  labels: Record<string, string>;
  count: number;
  sum: number;
  buckets: number[];
}

export interface CountedRequest {
  method: string;
  route: string;
  status: number;
  seconds: number;
  /** The caller asked to wait, so the duration says nothing about the server. */
  held: boolean;
}

/** Counts requests by route, method and status, for Prometheus. The number of series is bounded by the routes. */
export class HttpCounts {
  #prompt = new Map<string, Series>();
  #held = new Map<string, Series>();
  limited = 0;

  add({ method, route, status, seconds, held }: CountedRequest): void {
    const all = held ? this.#held : this.#prompt;
    const key = `${method} ${route} ${status}`;
    const labels = { method, route, status: `${status}` };
    const series = all.get(key) ?? { labels, count: 0, sum: 0, buckets: BOUNDS.map(() => 0) };
    all.set(key, series);
    series.count++;
    series.sum += seconds;
    BOUNDS.forEach((bound, index) => {
      if (seconds <= bound) series.buckets[index]!++;
    });
  }

  render(): string {
    const histogram = (name: string, help: string, all: Map<string, Series>): string =>
      histogramText({
        ...{ name, help, bounds: BOUNDS },
        series: [...all.values()].map(({ labels, ...counted }) => [labels, counted]),
      });
    return [
      histogram('rouse_http_request_seconds', 'Time to respond to a request, by route.', this.#prompt),
      histogram(
        'rouse_http_held_request_seconds',
        'Time of requests that the caller asked to hold, such as heartbeats.',
        this.#held,
      ),
      metricText([
        {
          name: 'rouse_http_rate_limited_total',
          type: 'counter',
          help: 'Requests refused with 429.',
          series: [[{}, this.limited]],
        },
      ]),
    ].join('');
  }
}
