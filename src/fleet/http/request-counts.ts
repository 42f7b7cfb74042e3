const BOUNDS = [0.005, 0.025, 0.1, 0.5, 2.5, 10, 30];

interface Series {
  count: number;
  sum: number;
  buckets: number[];
}

/** Requests by route, method and status, for Prometheus. As many series as there are routes, never more. */
export class RequestCounts {
  #series = new Map<string, Series>();
  limited = 0;

  add(method: string, route: string, status: number, seconds: number): void {
    const labels = `method="${method}",route="${route}",status="${status}"`;
    const series = this.#series.get(labels) ?? { count: 0, sum: 0, buckets: BOUNDS.map(() => 0) };
    this.#series.set(labels, series);
    series.count++;
    series.sum += seconds;
    BOUNDS.forEach((bound, index) => {
      if (seconds <= bound) series.buckets[index]!++;
    });
  }

  render(): string {
    const lines = ['# TYPE rouse_http_request_seconds histogram'];
    for (const [labels, { count, sum, buckets }] of this.#series) {
      BOUNDS.forEach((bound, index) => {
        lines.push(`rouse_http_request_seconds_bucket{${labels},le="${bound}"} ${buckets[index]}`);
      });
      lines.push(
        `rouse_http_request_seconds_bucket{${labels},le="+Inf"} ${count}`,
        `rouse_http_request_seconds_sum{${labels}} ${sum}`,
        `rouse_http_request_seconds_count{${labels}} ${count}`,
      );
    }
    lines.push(
      '# TYPE rouse_http_rate_limited_total counter',
      `rouse_http_rate_limited_total ${this.limited}`,
    );
    return `${lines.join('\n')}\n`;
  }
}
