import type { MailStep } from '../../../mail/index.ts';

/** An open reply and the messages it goes back to; the first step is the reply itself. */
export interface OpenReply {
  thread_ref: string;
  trail: readonly MailStep[];
}

/** A thread in which only agents reply to each other. */
export interface PausedThread {
  thread_ref: string;
  /** Counted up to the limit. */
  automatic_replies: number;
  newest_at_utc: string;
}

/** The time from which the replies of a thread count. */
export interface ResumedThread {
  thread_ref: string;
  since_utc: string;
}

interface LoopRules {
  /** The time up to which a thread was resumed; undefined if it never was. */
  resumedAt: (threadRef: string) => string | undefined;
  limit: number;
}

/**
 * Pauses a thread after `limit` replies of agents in a row, counted since a person wrote into it or it was resumed. What a
 * person wrote counts for the whole thread. If it ended a pause it is returned in `resumed`, to be stored, because that
 * person's message will not stay open. Pure.
 */
export function findLoops(
  replies: readonly OpenReply[],
  { resumedAt, limit }: LoopRules,
): { paused: PausedThread[]; resumed: ResumedThread[] } {
  const paused: PausedThread[] = [];
  const resumed: ResumedThread[] = [];
  for (const [thread_ref, trails] of byThread(replies)) {
    const before = resumedAt(thread_ref) ?? '';
    if (longest(trails, before) < limit) continue;
    const person = latest(trails.filter(([first]) => first?.by === 'person'));
    const since = person > before ? person : before;
    const automatic_replies = longest(trails, since);
    if (automatic_replies >= limit)
      paused.push({ thread_ref, automatic_replies, newest_at_utc: latest(trails) });
    else resumed.push({ thread_ref, since_utc: since });
  }
  return { paused, resumed };
}

type Trail = OpenReply['trail'];

function byThread(replies: readonly OpenReply[]): Map<string, Trail[]> {
  const threads = new Map<string, Trail[]>();
  for (const { thread_ref, trail } of replies) {
    const known = threads.get(thread_ref);
    if (known) known.push(trail);
    else threads.set(thread_ref, [trail]);
  }
  return threads;
}

function longest(trails: readonly Trail[], since: string): number {
  const lengths = trails.map(
    (trail) => trail.filter((step) => step.by === 'agent' && step.created_at_utc > since).length,
  );
  return Math.max(0, ...lengths);
}

function latest(trails: readonly Trail[]): string {
  return trails
    .map(([first]) => first?.created_at_utc ?? '')
    .reduce((one, other) => (one > other ? one : other), '');
}
