import { beforeEach, describe, expect, it } from 'vitest';
import { FakeClock } from '../../base/index.ts';
import { TURN_MS, Turns, type Waiter } from './turns.ts';

let clock = new FakeClock();
let turns = new Turns(clock);
let notified: Waiter[] = [];
beforeEach(() => {
  clock = new FakeClock();
  turns = new Turns(clock);
  notified = [];
  turns.passedOn.on((waiters) => notified.push(...waiters));
});

const pass = (who: Waiter, work: () => void = () => {}) =>
  turns.during(who, async () => {
    work();
    return 'idle';
  });

describe('turns', () => {
  it('go to whoever has waited longest, and after it has gone to the other', async () => {
    turns.wait('mail');
    await clock.advance(1);
    turns.wait('reminders');
    expect([turns.before('mail'), turns.before('reminders')]).toEqual([undefined, 'mail']);
    turns.leave('mail');
    await clock.advance(1);
    turns.wait('mail');
    turns.situationChanged();
    expect([turns.before('mail'), turns.before('reminders')]).toEqual(['reminders', undefined]);
  });

  it('are not asked for by somebody who waits for nothing, and a new one stands behind those who wait', async () => {
    turns.wait('reminders');
    await clock.advance(1);
    expect(turns.before('mail')).toBe('reminders');
    turns.leave('reminders');
    expect(turns.before('mail')).toBeUndefined();
  });

  it('are passed on at once by a pass that ends without going, and whoever stood back is told', async () => {
    turns.wait('mail');
    await clock.advance(1);
    turns.wait('reminders');
    expect(turns.before('reminders')).toBe('mail');
    await pass('mail');
    expect(notified).toEqual(['reminders']);
    expect(turns.before('reminders')).toBeUndefined();
    await pass('mail');
    expect(notified).toEqual(['reminders']);
  });

  it('are passed on by a pass that fails, and by one that finds nothing left to do', async () => {
    turns.wait('mail');
    await clock.advance(1);
    turns.wait('reminders');
    turns.before('reminders');
    await expect(
      turns.during('mail', async () => {
        throw new Error('the mailbox is gone');
      }),
    ).rejects.toThrow();
    turns.situationChanged();
    turns.before('reminders');
    await pass('mail', () => turns.leave('mail'));
    expect(notified).toEqual(['reminders', 'reminders']);
  });

  it('are kept by a pass during which the situation changed: it is about to look again', async () => {
    turns.wait('mail');
    await clock.advance(1);
    turns.wait('reminders');
    await pass('mail', () => turns.situationChanged());
    expect(turns.before('reminders')).toBe('mail');
  });

  it('end when whoever has one hangs', async () => {
    turns.wait('mail');
    await clock.advance(1);
    turns.wait('reminders');
    expect(turns.before('reminders')).toBe('mail');
    await clock.advance(TURN_MS);
    expect(turns.before('reminders')).toBeUndefined();
  });
});
