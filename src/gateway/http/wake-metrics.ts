import { histogramText } from '../../base/index.ts';
import type { LedgerEntry, RequestQueue } from '../queue/index.ts';

const BOUNDS = [0.5, 1, 2, 5, 10, 30, 60, 300, 1800, 7200, 43_200];
/** Turns that are waited for; an older one is forgotten. */
const MAX_OPEN = 1000;

interface Series {
  count: number;
  sum: number;
  buckets: number[];
}

const empty = (): Series => ({ count: 0, sum: 0, buckets: BOUNDS.map(() => 0) });

function add(to: Series, seconds: number): void {
  to.count++;
  to.sum += seconds;
  BOUNDS.forEach((bound, at) => {
    if (seconds <= bound) to.buckets[at]!++;
  });
}

/** How long wakes and their turns took since this gateway started, from the times in the ledger. */
export class WakeMetrics {
  readonly #submit = empty();
  readonly #turn = empty();
  readonly #open = new Map<string, number>();

  note({ stage, request_id: id, at_utc }: LedgerEntry, queue: Pick<RequestQueue, 'get'>): void {
    const at = Date.parse(at_utc);
    if (stage === 'submitted') {
      const { request_kind: kind, accepted_at_utc: accepted } = queue.get(id);
      if (kind !== 'mail_notifier_prompt') return;
      add(this.#submit, Math.max(0, at - Date.parse(accepted)) / 1000);
      this.#open.set(id, at);
      const [oldest] = this.#open.keys();
      if (this.#open.size > MAX_OPEN && oldest !== undefined) this.#open.delete(oldest);
    }
    const submitted = this.#open.get(id);
    if (stage !== 'turn_finished' || submitted === undefined) return;
    this.#open.delete(id);
    add(this.#turn, Math.max(0, at - submitted) / 1000);
  }

  text(): string {
    const histogram = (name: string, help: string, counted: Series): string =>
      histogramText({ name, help, bounds: BOUNDS, series: [[{}, counted]] });
    return [
      histogram(
        'rouse_gateway_wake_submit_seconds',
        'From an accepted wake to the proof that it was submitted.',
        this.#submit,
      ),
      histogram(
        'rouse_gateway_wake_turn_seconds',
        'From a submitted wake to the end of its turn.',
        this.#turn,
      ),
    ].join('');
  }
}
