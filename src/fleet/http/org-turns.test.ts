import { describe, expect, it } from 'vitest';
import { OrgTurns } from './org-turns.ts';

describe('the turns of orgs', () => {
  it('one org runs only a few calls at once, and a call of another org begins at once', async () => {
    const turns = new OrgTurns(2);
    const order: string[] = [];
    let release = (): void => {};
    const gate = new Promise<void>((resolve) => (release = resolve));
    const call = (org: string, who: string): Promise<void> =>
      turns.run(org, async () => {
        order.push(who);
        await gate;
      });
    const large = Array.from({ length: 50 }, (_, n) => call('large', `a${n}`));
    const small = call('small', 'b');
    expect(order).toEqual(['a0', 'a1', 'b']);
    release();
    await Promise.all([...large, small]);
    expect(order.slice(3)).toEqual(Array.from({ length: 48 }, (_, n) => `a${n + 2}`));
  });

  it('a call that fails leaves its turn to the next', async () => {
    const turns = new OrgTurns(1);
    const bad = turns.run('one', () => Promise.reject(new Error('x')));
    const next = turns.run('one', async () => 'done');
    await expect(bad).rejects.toThrow('x');
    expect(await next).toBe('done');
  });
});
