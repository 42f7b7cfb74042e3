import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FakeClock } from '../../base/index.ts';
import { edgesAfter, NO_EDGES, type Standing, type WaitedFor } from '../../domain/index.ts';
import { noticesPlace } from '../notices.testing.ts';
import { Outbox } from '../outbox/outbox.ts';
import { addWait, fireWaits, openWaits, removeWait } from './waits.ts';

const clock = new FakeClock();
let place: ReturnType<typeof noticesPlace>;
let outbox: Outbox;
beforeEach(() => {
  place = noticesPlace();
  outbox = new Outbox({ directory: place.directory, clock });
});
afterEach(() => {
  outbox.close();
  place.remove();
});

const standing = (state: Standing['state']): Standing => ({ state, words: state, needs_you: null });
const working: WaitedFor = {
  ...{ state: 'working', needs_you: false, open_mail: 0 },
  edges: edgesAfter(NO_EDGES, standing('working')),
};
const idle: WaitedFor = { ...working, state: 'idle', edges: edgesAfter(working.edges!, standing('idle')) };
const add = (condition: 'idle' | 'gone' = 'idle') =>
  addWait(outbox.db, clock, {
    agent_id: 'a',
    agent: 'ana',
    condition,
    recipient: { address: 'ben' },
    before: working,
  });

/** A mailbox that takes each key once, as every mailbox does. */
function mailbox() {
  const mails = new Map<string, string>();
  let fails = 0;
  return {
    mails,
    failing(times: number) {
      fails = times;
    },
    send: async (_: unknown, { key, subject }: { key: string; subject: string }): Promise<void> => {
      mails.set(key, subject);
      // The mail is stored, and the sender dies before it learns of it.
      if (fails-- > 0) throw new Error('killed');
    },
  };
}

describe('waits', () => {
  it('mail is sent once when it comes true, and the wait is over', async () => {
    const { mails, send } = mailbox();
    add();
    const on = { db: outbox.db, clock, send };
    expect(await fireWaits(on, [{ id: 'a', ...working }])).toBe('idle');
    expect(mails.size).toBe(0);
    for (let n = 0; n < 3; n++) await fireWaits(on, [{ id: 'a', ...idle }]);
    expect([...mails.values()]).toEqual(['ana is idle']);
    expect(openWaits(outbox.db)).toEqual([]);
  });

  it('a sender that dies after the mail was stored sends it again under the same key', async () => {
    const { mails, send, failing } = mailbox();
    add();
    failing(2);
    const on = { db: outbox.db, clock, send };
    expect(await fireWaits(on, [{ id: 'a', ...idle }])).toBe(30_000);
    // It came true; what the agent does now changes nothing.
    expect(await fireWaits(on, [{ id: 'a', ...working }])).toBe(30_000);
    expect(await fireWaits(on, [{ id: 'a', ...working }])).toBe('idle');
    expect(mails.size).toBe(1);
  });

  it('what happened while no one looked counts', async () => {
    const { mails, send } = mailbox();
    add();
    const later = { ...working, edges: edgesAfter(idle.edges!, standing('working')) };
    await fireWaits({ db: outbox.db, clock, send }, [{ id: 'a', ...later }]);
    expect(mails.size).toBe(1);
  });

  it('an agent that is not listed any more is gone, and is not idle', async () => {
    const { mails, send } = mailbox();
    add('gone');
    add('idle');
    await fireWaits({ db: outbox.db, clock, send }, []);
    expect([...mails.values()]).toEqual(['ana has ended']);
    expect(openWaits(outbox.db).map(({ condition }) => condition)).toEqual(['idle']);
  });

  it('a removed wait sends nothing, and cannot be removed twice', async () => {
    const { id } = add();
    expect([removeWait(outbox.db, id), removeWait(outbox.db, id)]).toEqual([true, false]);
  });

  it('a damaged wait keeps no other from being sent', async () => {
    const { mails, send } = mailbox();
    const bad = add();
    add();
    outbox.db.run("UPDATE waits SET before_json = '{' WHERE id = ?", [bad.id]);
    await fireWaits({ db: outbox.db, clock, send }, [{ id: 'a', ...idle }]);
    expect(mails.size).toBe(1);
  });
});
