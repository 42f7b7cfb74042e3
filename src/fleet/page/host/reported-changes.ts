import { type Clock, Emitter, utcStamp } from '../../../base/index.ts';
import type { PageAgentRow, PageChange } from '../../../wire/index.ts';
import type { Picture } from './host-picture.ts';
import type { Touched } from './received-changes.ts';

/** How many changes are kept for a reader who comes back. */
const KEPT = 500;

/** A change as it is sent, serialised once for all readers. */
export interface ReportedChange {
  seq: number;
  text: string;
}

/** The last reported picture and the numbered changes that led to it. A change is reported when something differs. */
export class ReportedChanges {
  readonly changed = new Emitter<number>();
  readonly #clock: Clock;
  readonly #changes: ReportedChange[] = [];
  #seq: number;
  #last: Picture = { agents: new Map(), needs: [], counts: NO_COUNTS, troubles: [] };

  constructor(clock: Clock) {
    this.#clock = clock;
    // Numbers of an earlier process are smaller, so a reader who brings one starts over.
    this.#seq = clock.now().getTime() * 1000;
  }

  get seq(): number {
    return this.#seq;
  }

  get last(): Picture {
    return this.#last;
  }

  /** The changes after this number; undefined if some of them are no longer kept. */
  since(seq: number): ReportedChange[] | undefined {
    if (seq > this.#seq) return undefined;
    if (seq === this.#seq) return [];
    const first = this.#changes[0];
    return first && seq >= first.seq - 1 ? this.#changes.filter((each) => each.seq > seq) : undefined;
  }

  report(now: Picture, received: readonly Touched[]): void {
    const differing = differences(this.#last, now);
    const touched = [...received, ...changedStates(this.#last, differing.agents ?? [])];
    this.#last = now;
    if (Object.keys(differing).length === 0 && touched.length === 0) return;
    const change: PageChange = {
      seq: ++this.#seq,
      now_utc: utcStamp(this.#clock.now()),
      ...differing,
      ...(touched.length > 0 && { touched }),
    };
    this.#changes.push({ seq: change.seq, text: JSON.stringify(change) });
    if (this.#changes.length > KEPT) this.#changes.shift();
    this.changed.emit(this.#seq);
  }
}

/** The fields that the sentences about an agent use. */
const SENTENCE_FIELDS = [
  'state',
  'state_words',
  'needs_you',
  'reason',
  'doing_now',
  'unread',
  'queue_depth',
] as const satisfies readonly (keyof PageAgentRow)[];

/** A changed state changes the agent's timeline and the sentences above it. */
function changedStates({ agents }: Picture, rows: readonly PageAgentRow[]): Touched[] {
  return rows
    .filter((row) => {
      const before = agents.get(row.id)?.row;
      return before !== undefined && SENTENCE_FIELDS.some((field) => before[field] !== row[field]);
    })
    .map(({ name }) => ({ agent: name, what: 'timeline' }));
}

/** Only what differs has a field. */
function differences(before: Picture, now: Picture): Partial<PageChange> {
  const agents = [...now.agents]
    .filter(([id, { signature }]) => before.agents.get(id)?.signature !== signature)
    .map(([, { row }]) => row);
  const removed = [...before.agents.keys()].filter((id) => !now.agents.has(id));
  const needs = now.needs !== before.needs && JSON.stringify(now.needs) !== JSON.stringify(before.needs);
  const counts = JSON.stringify(now.counts) !== JSON.stringify(before.counts);
  return {
    ...(agents.length > 0 && { agents }),
    ...(removed.length > 0 && { removed }),
    ...(needs && { needs_you: [...now.needs] }),
    ...(counts && { counts: now.counts }),
  };
}

const NO_COUNTS = {
  agents: 0,
  working: 0,
  idle: 0,
  waiting: 0,
  needs_you: 0,
  gone: 0,
  elsewhere: 0,
  unread_operator: 0,
  requests_for_me: 0,
  requests_open: 0,
};
