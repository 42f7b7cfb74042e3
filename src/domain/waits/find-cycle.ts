/** The neighbours of these agents: whom they wait for, or who waits for them. Each pair is [agent, neighbour]. */
export type Neighbours = (agents: readonly string[]) => Iterable<readonly [string, string]>;

export interface WaitGraph {
  whom: Neighbours;
  waiters: Neighbours;
}

/** A search that has met more agents than this gives up: no team is that large. */
const MAX_AGENTS = 20_000;

/**
 * The shortest circle that a new wait closes: `waiter`, `whom`, and who waits for whom from there back to `waiter`, which is not
 * repeated. Undefined if it closes none. Searches from both ends, the smaller side first, so the cost depends on the agents
 * that are near, and not on the number of waits.
 */
export function closedCycle(
  { waiter, whom }: { waiter: string; whom: string },
  graph: WaitGraph,
  maxAgents = MAX_AGENTS,
): string[] | undefined {
  if (waiter === whom) return undefined;
  const path = shortestPath(whom, waiter, graph, maxAgents);
  return path && [waiter, ...path.slice(0, -1)];
}

/** One side of a search: how each agent was reached, and those reached last. */
interface Side {
  from: Map<string, string | null>;
  last: string[];
  next: Neighbours;
}

function shortestPath(start: string, end: string, graph: WaitGraph, max: number): string[] | undefined {
  const ahead: Side = { from: new Map([[start, null]]), last: [start], next: graph.whom };
  const back: Side = { from: new Map([[end, null]]), last: [end], next: graph.waiters };
  while (ahead.last.length > 0 && back.last.length > 0) {
    if (ahead.from.size + back.from.size > max) return undefined;
    const [side, other] = ahead.last.length <= back.last.length ? [ahead, back] : [back, ahead];
    const met = step(side, other);
    if (met !== undefined) return [...trail(ahead, met).reverse(), ...trail(back, met).slice(1)];
  }
  return undefined;
}

/** Takes one step on one side. Returns an agent that both sides have reached. */
function step(side: Side, other: Side): string | undefined {
  const reached: string[] = [];
  for (const [agent, neighbour] of side.next(side.last)) {
    if (side.from.has(neighbour)) continue;
    side.from.set(neighbour, agent);
    if (other.from.has(neighbour)) return neighbour;
    reached.push(neighbour);
  }
  side.last = reached;
  return undefined;
}

/** From `agent` back to where this side began. */
function trail({ from }: Side, agent: string): string[] {
  const path: string[] = [];
  for (let at: string | null | undefined = agent; at != null; at = from.get(at)) path.push(at);
  return path;
}

/** Groups of agents that wait for each other, directly or through others; the largest first. */
export function mutualWaits(edges: readonly { waiter: string; whom: string }[]): string[][] {
  const whom = new Map<string, string[]>();
  for (const edge of edges) {
    const known = whom.get(edge.waiter);
    if (known) known.push(edge.whom);
    else whom.set(edge.waiter, [edge.whom]);
  }
  return strongGroups(whom)
    .filter((group) => group.length > 1)
    .map((group) => group.sort())
    .sort((a, b) => b.length - a.length || (a[0]! < b[0]! ? -1 : 1));
}

/** Tarjan's strongly connected components, without recursion: a chain of waits may be long. */
function strongGroups(whom: ReadonlyMap<string, readonly string[]>): string[][] {
  const order = new Map<string, number>();
  const low = new Map<string, number>();
  const open: string[] = [];
  const isOpen = new Set<string>();
  const groups: string[][] = [];
  const enter = (agent: string): { agent: string; at: number } => {
    order.set(agent, order.size);
    low.set(agent, order.get(agent)!);
    open.push(agent);
    isOpen.add(agent);
    return { agent, at: 0 };
  };
  for (const first of whom.keys()) {
    const path = order.has(first) ? [] : [enter(first)];
    while (path.length > 0) {
      const here = path.at(-1)!;
      const next = whom.get(here.agent)?.[here.at++];
      if (next !== undefined) {
        if (!order.has(next)) path.push(enter(next));
        else if (isOpen.has(next)) low.set(here.agent, Math.min(low.get(here.agent)!, order.get(next)!));
        continue;
      }
      path.pop();
      const above = path.at(-1);
      if (above) low.set(above.agent, Math.min(low.get(above.agent)!, low.get(here.agent)!));
      if (low.get(here.agent) !== order.get(here.agent)) continue;
      const group = open.splice(open.lastIndexOf(here.agent));
      for (const agent of group) isOpen.delete(agent);
      groups.push(group);
    }
  }
  return groups;
}

/**
 * The shortest circle in waits that have one, in order, each with the oldest wait between the two. The same waits always have the
 * same one.
 */
export function shortestCircle<Edge extends { waiter: string; whom: string }>(
  edges: readonly Edge[],
): Edge[] {
  const oldest = new Map<string, Edge>();
  for (const edge of edges) {
    const pair = JSON.stringify([edge.waiter, edge.whom]);
    if (!oldest.has(pair)) oldest.set(pair, edge);
  }
  const all = [...oldest.values()];
  const from = (agents: readonly string[], own: 'waiter' | 'whom', other: 'waiter' | 'whom') =>
    all.filter((edge) => agents.includes(edge[own])).map((edge) => [edge[own], edge[other]] as const);
  const graph: WaitGraph = {
    whom: (agents) => from(agents, 'waiter', 'whom'),
    waiters: (agents) => from(agents, 'whom', 'waiter'),
  };
  const circles = all.flatMap((edge) => {
    const circle = closedCycle(edge, graph);
    return circle ? [circle] : [];
  });
  const best = circles.reduce((a, b) => (b.length < a.length ? b : a), circles[0] ?? []);
  return best.map((waiter, n) => oldest.get(JSON.stringify([waiter, best[(n + 1) % best.length]]))!);
}
