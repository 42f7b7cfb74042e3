import type { Seeded } from '../support/seeded.ts';

/** The stages at which a process is killed, and the crash points of each. */
export const STAGES = {
  gateway: {
    accept: ['queue.accept.before-commit', 'queue.accept.after-commit', 'fleet.message-stored'],
    claim: ['queue.claim.before-commit', 'queue.claim.after-commit'],
    paste: [
      'queue.record.typing.before-commit',
      'queue.record.typing.after-commit',
      'lane.typing',
      'lane.pasted',
      'queue.record.typed.before-commit',
      'queue.record.typed.after-commit',
    ],
    Enter: ['lane.typed', 'lane.entered'],
    proof: [
      'queue.record.submitted.before-commit',
      'queue.record.submitted.after-commit',
      'lane.submitted',
      'queue.finish.before-commit',
      'queue.finish.after-commit',
    ],
    mail: [
      'mailbox.deliver.begin',
      'mailbox.deliver.rows',
      'mailbox.deliver.signalled',
      'mailbox.commit.flushed',
      'mailbox.flush.synced',
      'mailbox.flush.settled',
      'mailbox.flags.rows',
    ],
    'any commit': ['db.before-commit', 'db.after-commit'],
  },
  server: {
    'heartbeat commit': ['fleet.beat'],
    sweep: ['nudge.enqueued', 'nudge.stamped'],
    'any commit': ['db.before-commit', 'db.after-commit'],
  },
} as const;

export type VictimKind = keyof typeof STAGES;

/** Each of these must be hit often; see the test. */
export const REQUIRED = ['accept', 'paste', 'Enter', 'proof', 'heartbeat commit', 'sweep'] as const;

export const AT_ANY_TIME = 'at any time';

/** How one life of a process should end. */
export interface Doom {
  stage: string;
  /** Undefined: at a random time. */
  point: string | undefined;
  /** The latest time of the kill. */
  withinMs: number;
  /** When this time begins; a process that is never ready is killed at its start. */
  after: 'start' | 'ready';
}

export interface Kill {
  victim: string;
  /** The stage of the kill. A process that did not reach its crash point was killed at a random time. */
  stage: string;
  point: string;
  /** The length of its life. */
  ms: number;
  /** The disk was full. */
  full: boolean;
}

const AIMED = 0.7;
const GATEWAY_WITHIN_MS = 6000;
/** A server waits for the sweep lease of the server killed before it. */
const SERVER_WITHIN_MS = 30_000;
const AT_ANY_TIME_WITHIN_MS = 2500;

/** The next crash point: of those that a process can reach, the one that was hit least. */
export class KillPlan {
  readonly kills: Kill[] = [];
  #random: Seeded;
  #wanted: { kills: number; ofEach: number };

  constructor(random: Seeded, wanted: { kills: number; ofEach: number }) {
    this.#random = random;
    this.#wanted = wanted;
  }

  /** What has not been hit often enough yet. */
  missing(): string[] {
    const { kills, ofEach } = this.#wanted;
    const few = REQUIRED.filter((stage) => this.count(stage) < ofEach);
    return [...(this.kills.length < kills ? [`kills: ${this.kills.length} of ${kills}`] : []), ...few];
  }

  next(kind: VictimKind): Doom {
    if (this.#random.next() > AIMED) {
      const after = this.#random.pick(['start', 'ready'] as const);
      return {
        stage: AT_ANY_TIME,
        point: undefined,
        withinMs: this.#random.whole(50, AT_ANY_TIME_WITHIN_MS),
        after,
      };
    }
    const stages = Object.entries(STAGES[kind]).map(([stage, points]) => ({
      stage,
      points,
      hits: this.count(stage) + this.#random.next(),
    }));
    const { stage, points } = stages.reduce((least, each) => (each.hits < least.hits ? each : least));
    const nth = stage === 'any commit' ? this.#random.whole(1, 30) : this.#random.whole(1, 2);
    const withinMs = kind === 'server' && stage === 'sweep' ? SERVER_WITHIN_MS : GATEWAY_WITHIN_MS;
    return { stage, point: `${this.#random.pick(points)}@${nth}`, withinMs, after: 'ready' };
  }

  count(stage: string): number {
    return this.kills.filter((kill) => kill.stage === stage).length;
  }
}
