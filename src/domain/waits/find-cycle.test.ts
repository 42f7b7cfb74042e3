import { describe, expect, it } from 'vitest';
import { proofReport } from '../../../test/support/proof-report.ts';
import { drawnFor, FULL } from '../../../test/support/sample.ts';
import { closedCycle, mutualWaits, type WaitGraph } from './find-cycle.ts';

type Edge = { waiter: string; whom: string };
const edge = (waiter: string, whom: string): Edge => ({ waiter, whom });

function graphOf(edges: readonly Edge[]): WaitGraph {
  return {
    whom: (agents) =>
      edges.filter(({ waiter }) => agents.includes(waiter)).map(({ waiter, whom }) => [waiter, whom]),
    waiters: (agents) =>
      edges.filter(({ whom }) => agents.includes(whom)).map(({ waiter, whom }) => [whom, waiter]),
  };
}

/** Length of the shortest walk, by trying every number of steps on the matrix of who waits for whom. */
function bruteDistance(edges: readonly Edge[], from: string, to: string, agents: number): number | undefined {
  let at = new Set([from]);
  for (let steps = 0; steps <= agents; steps++) {
    if (at.has(to)) return steps;
    at = new Set(edges.filter(({ waiter }) => at.has(waiter)).map(({ whom }) => whom));
  }
  return undefined;
}

const isCircle = (circle: readonly string[], edges: readonly Edge[]): boolean =>
  circle.every((waiter, n) => {
    const whom = circle[(n + 1) % circle.length];
    return edges.some((each) => each.waiter === waiter && each.whom === whom);
  });

describe('a circle of waits', () => {
  it('a wait that closes a circle finds the shortest one, in order', () => {
    const edges = [edge('b', 'c'), edge('c', 'd'), edge('d', 'a'), edge('c', 'a')];
    expect(closedCycle(edge('a', 'b'), graphOf(edges))).toEqual(['a', 'b', 'c']);
    expect(closedCycle(edge('a', 'x'), graphOf(edges))).toBeUndefined();
    expect(closedCycle(edge('a', 'a'), graphOf(edges))).toBeUndefined();
    expect(closedCycle(edge('b', 'a'), graphOf([edge('a', 'b')]))).toEqual(['b', 'a']);
  });

  it('random graphs: a circle is found exactly when it closes, and is the shortest, as by brute force', () => {
    const random = drawnFor('wait-graphs');
    const graphs = FULL ? 10_000 : 300;
    let closed = 0;
    let edgesTried = 0;
    for (let n = 0; n < graphs; n++) {
      const agents = random.whole(2, 9);
      const edges: Edge[] = [];
      for (let step = random.whole(1, 24); step > 0; step--) {
        if (edges.length > 0 && random.below(5) === 0) edges.splice(random.below(edges.length), 1);
        const fresh = edge(`a${random.below(agents)}`, `a${random.below(agents)}`);
        if (fresh.waiter === fresh.whom) continue;
        const circle = closedCycle(fresh, graphOf(edges));
        const back = bruteDistance(edges, fresh.whom, fresh.waiter, agents);
        edges.push(fresh);
        edgesTried++;
        expect(circle?.length).toBe(back === undefined ? undefined : back + 1);
        if (!circle) continue;
        closed++;
        expect(isCircle(circle, edges)).toBe(true);
        expect(new Set(circle).size).toBe(circle.length);
      }
      const groups = mutualWaits(edges);
      const reach = (from: string, to: string) => bruteDistance(edges, from, to, agents) !== undefined;
      const names = [...new Set(edges.flatMap(({ waiter, whom }) => [waiter, whom]))];
      for (const a of names)
        for (const b of names)
          if (a < b)
            expect(groups.some((group) => group.includes(a) && group.includes(b))).toBe(
              reach(a, b) && reach(b, a),
            );
    }
    proofReport(`${graphs} random graphs, ${edgesTried} waits, ${closed} circles: all as by brute force`);
  });

  it('a long chain is searched without recursion', () => {
    const edges = Array.from({ length: 50_000 }, (_, n) => edge(`a${n}`, `a${n + 1}`));
    expect(mutualWaits(edges)).toEqual([]);
    expect(mutualWaits([...edges, edge('a50000', 'a0')])[0]).toHaveLength(50_001);
  });
});
