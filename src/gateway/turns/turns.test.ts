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
  it('a turn goes to the one that has waited longest, and then to the other', async () => {
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

  it('one that does not wait gets its turn after those that do', async () => {
    turns.wait('reminders');
    await clock.advance(1);
    expect(turns.before('mail')).toBe('reminders');
    turns.leave('reminders');
    expect(turns.before('mail')).toBeUndefined();
  });

  it('a pass that ends without delivering passes its turn on at once, and notifies those that waited for it', async () => {
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

  it('a pass that fails or finds nothing to do passes its turn on', async () => {
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

  it('a pass keeps its turn if the situation changed during it, because it looks again', async () => {
    turns.wait('mail');
    await clock.advance(1);
    turns.wait('reminders');
    await pass('mail', () => turns.situationChanged());
    expect(turns.before('reminders')).toBe('mail');
  });

  it('a turn ends after a time if its holder hangs', async () => {
    turns.wait('mail');
    await clock.advance(1);
    turns.wait('reminders');
    expect(turns.before('reminders')).toBe('mail');
    await clock.advance(TURN_MS);
    expect(turns.before('reminders')).toBeUndefined();
  });
});
