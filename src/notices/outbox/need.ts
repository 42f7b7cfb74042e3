import type { NeedKind, WaitedFor } from '../../domain/index.ts';
import type { Subscription } from './subscription.ts';

/** Something that needs a person now, as the part of Rouse that owns it sees it. */
export interface SeenNeed {
  /** The same while it lasts. */
  key: string;
  kind: NeedKind;
  agent: string | null;
  /** The person it is for; null: the one who looks after the agents. */
  person: string | null;
  /** What it is, in a few words; may hold text of a tool or an agent. */
  words: string;
  /** What settles it on the command line. */
  command: string | null;
  /** Where the page shows it. */
  href: string | null;
  since_utc: string | null;
  /** The process that reports `since_utc`. With the same writer, another time is another need. */
  writer: string | null;
  /** About something that has already happened, so it is reported only to those who had subscribed before. */
  past: boolean;
}

export interface Seen {
  needs: readonly SeenNeed[];
  /** The agents that others may wait for; absent from an owner that knows none. */
  agents?: readonly SeenAgent[];
  /** Whether this need may still be there although it is not among the needs: its agent cannot be seen now. */
  isUnsure: (need: Pick<NeedRow, 'key' | 'agent'>) => boolean;
}

export interface SeenAgent extends WaitedFor {
  id: string;
}

/** A stored need. */
export interface NeedRow extends Omit<SeenNeed, 'past'> {
  id: number;
  owner: string;
  opened_at_ms: number;
  over_at_ms: number | null;
}

export function isWanted(
  { who, kinds, agents }: Pick<Subscription, 'who' | 'kinds' | 'agents'>,
  { kind, agent, person }: Pick<NeedRow, 'kind' | 'agent' | 'person'>,
): boolean {
  if (who !== null && person !== null && who !== person) return false;
  if (kinds !== null && !kinds.includes(kind)) return false;
  return agents === null || (agent !== null && agents.includes(agent));
}
