import type { Standing } from '../standing.ts';
import type { WaitCondition } from '../words/notices/wait-conditions.ts';
import type { AgentState } from '../words/standings.ts';

/** How often each of these began, counted for ever. One who looks late compares the counts and has missed nothing. */
export interface AgentEdges {
  idle: number;
  turn_ended: number;
  needs_you: number;
  gone: number;
  /** The state that was last counted. */
  state: Standing['state'];
  needs: boolean;
  /** It has worked since it was last idle. A dialog in the middle does not end a turn. */
  in_turn: boolean;
}

export const NO_EDGES: AgentEdges = {
  idle: 0,
  turn_ended: 0,
  needs_you: 0,
  gone: 0,
  state: 'unknown',
  needs: false,
  in_turn: false,
};

/** The counts after this standing was seen. `unknown` is no state of the agent: nothing begins or ends with it. */
export function edgesAfter(before: AgentEdges, { state, needs_you }: Standing): AgentEdges {
  const needs = needs_you !== null;
  if (state === 'unknown' || (state === before.state && needs === before.needs)) return before;
  const becomes = (wanted: Standing['state']): number =>
    state === wanted && before.state !== wanted ? 1 : 0;
  const ends = before.in_turn && (state === 'idle' || state === 'gone');
  return {
    idle: before.idle + becomes('idle'),
    turn_ended: before.turn_ended + (ends ? 1 : 0),
    needs_you: before.needs_you + (needs && !before.needs ? 1 : 0),
    gone: before.gone + becomes('gone'),
    state,
    needs,
    in_turn: state === 'working' || (before.in_turn && !ends),
  };
}

/** An agent at one moment, as one who waits for it sees it. */
export interface WaitedFor {
  state: Exclude<AgentState, 'elsewhere'>;
  needs_you: boolean;
  open_mail: number | null;
  /** Undefined without a gateway that counts. */
  edges: AgentEdges | undefined;
}

const COUNTED = { idle: 'idle', gone: 'gone', 'needs-you': 'needs_you' } as const;

/** Whether it is so now, or has been so since `before`. */
export function hasComeTrue(condition: WaitCondition, before: WaitedFor, now: WaitedFor): boolean {
  const since = (name: 'idle' | 'turn_ended' | 'needs_you' | 'gone'): boolean =>
    now.edges !== undefined && before.edges !== undefined && now.edges[name] > before.edges[name];
  switch (condition) {
    case 'mail':
      return (now.open_mail ?? 0) > 0;
    case 'turn-ended':
      return before.edges?.in_turn !== true ? isAtRest(now) : since('turn_ended') || now.state === 'gone';
    case 'needs-you':
      return now.needs_you || since(COUNTED[condition]);
    default:
      return now.state === condition || since(COUNTED[condition]);
  }
}

/** Without a turn in progress. */
const isAtRest = ({ state, edges }: WaitedFor): boolean =>
  state === 'gone' || (edges !== undefined && !edges.in_turn && edges.state !== 'unknown');
