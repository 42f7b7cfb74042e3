import { describe, expect, it } from 'vitest';
import { HeldPlaces } from './held-places.ts';

const never = new AbortController().signal;

/** Holds its place until the signal ends, then returns its name. */
const hold = (places: HeldPlaces, org: string, who: string): Promise<string> =>
  places.during(org, never, async (signal) => {
    await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
    return who;
  });

describe('held responses', () => {
  it('end oldest first in the org that holds the most, and another org keeps its own', async () => {
    const places = new HeldPlaces(3);
    const ended: string[] = [];
    const note = (who: string): number => ended.push(who);
    void hold(places, 'small', 'b1').then(note);
    for (const who of ['a1', 'a2']) void hold(places, 'large', who).then(note);
    expect(places.count).toBe(3);
    const first = hold(places, 'large', 'a3');
    void first.then(note);
    void hold(places, 'third', 'c1').then(note);
    await new Promise(setImmediate);
    expect(ended).toEqual(['a1', 'a2']);
    expect(places.count).toBe(3);
  });

  it('that ended on their own free their place', async () => {
    const places = new HeldPlaces(1);
    await places.during('one', never, async () => {});
    await expect(places.during('one', never, () => Promise.reject(new Error('x')))).rejects.toThrow('x');
    expect(places.count).toBe(0);
  });
});
