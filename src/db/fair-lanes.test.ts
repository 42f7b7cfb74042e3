import { AsyncLocalStorage } from 'node:async_hooks';
import { describe, expect, it } from 'vitest';
import { asParty, FairLanes } from './fair-lanes.ts';

const soon = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Work that ends on command, and the order of its starts. */
function world(room: ConstructorParameters<typeof FairLanes>[0]) {
  const lanes = new FairLanes(room);
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const ask = (party: string, what: string): Promise<void> =>
    asParty(party, () =>
      lanes.run(async () => {
        begun.push(what);
        await new Promise<void>((resolve) => ends.push(resolve));
      }),
    );
  return { lanes, begun, ends, ask };
}

describe('the lanes of a database', () => {
  it('the lanes of a database are taken in turn by the parties, each in its own order', async () => {
    const { begun, ends, ask } = world({ atOnce: 1, perParty: 1, sharesThread: false });
    const all = [...Array.from({ length: 50 }, (_, n) => ask('large', `a${n}`)), ask('small', 'b0')];
    all.push(ask('small', 'b1'));
    for (let n = 0; n < all.length; n++) {
      ends.shift()!();
      await soon();
    }
    await Promise.all(all);
    expect(begun.slice(0, 5)).toEqual(['a0', 'a1', 'b0', 'a2', 'b1']);
    expect(begun).toHaveLength(52);
  });

  it('database lanes are never all taken by one of several parties', async () => {
    const { begun, ask } = world({ atOnce: 4, perParty: 3, sharesThread: false });
    for (let n = 0; n < 9; n++) void ask('large', `a${n}`);
    void ask('small', 'b');
    expect(begun).toEqual(['a0', 'a1', 'a2', 'b']);
  });

  it('database lanes let other events run if the database works in this thread', async () => {
    const lanes = new FairLanes({ atOnce: 1, perParty: 1, sharesThread: true });
    const order: string[] = [];
    const busy = async (): Promise<void> => {
      const until = performance.now() + 3;
      while (performance.now() < until);
      order.push('a');
    };
    const all = Array.from({ length: 20 }, () => asParty('large', () => lanes.run(busy)));
    setTimeout(() => {
      void asParty('small', () => lanes.run(async () => void order.push('b')));
    }, 1);
    await Promise.all(all);
    expect(order.indexOf('b')).toBeGreaterThan(-1);
    expect(order.indexOf('b')).toBeLessThan(10);
  });

  it('a database lane is left by work that fails, and each work runs in its caller’s context', async () => {
    const lanes = new FairLanes({ atOnce: 1, perParty: 1, sharesThread: false });
    const who = new AsyncLocalStorage<string>();
    const bad = lanes.run(() => Promise.reject(new Error('x')));
    const good = who.run('me', () => lanes.run(async () => who.getStore()));
    await expect(bad).rejects.toThrow('x');
    expect(await good).toBe('me');
  });
});
