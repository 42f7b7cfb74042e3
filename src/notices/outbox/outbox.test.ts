import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FakeClock } from '../../base/index.ts';
import { noticesPlace, seenNeed } from '../notices.testing.ts';
import type { SeenNeed } from './need.ts';
import { Outbox } from './outbox.ts';
import { SUBSCRIPTION_DEFAULTS } from './subscription.ts';

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

const see = (...needs: SeenNeed[]): void => outbox.record('host', { needs, isUnsure: () => false });
const add = (over = {}) => outbox.add('status-line', {}, { ...SUBSCRIPTION_DEFAULTS, ...over });
const states = (id: number): string[] =>
  outbox
    .newest(100)
    .filter((each) => each.notice.subscription_id === id)
    .map((each) => each.notice.state);

describe('the outbox', () => {
  it('one notice is stored per need and subscription, however often the need is seen', () => {
    const [one, two] = [add(), add()];
    for (let n = 0; n < 3; n++) see(seenNeed());
    expect([states(one.id), states(two.id)]).toEqual([['waiting'], ['waiting']]);
  });

  it('an unchanged picture writes nothing', () => {
    add();
    see(seenNeed());
    const version = () => outbox.db.get('PRAGMA data_version');
    const changes = () => outbox.db.get('SELECT total_changes() AS n');
    const before = [version(), changes()];
    see(seenNeed());
    expect([version(), changes()]).toEqual(before);
  });

  it('a need that ends before its notice is sent is never sent', () => {
    const { id } = add();
    see(seenNeed());
    const { notice } = outbox.open(id)[0]!;
    see();
    expect(states(id)).toEqual(['unneeded']);
    expect(outbox.begin(notice.id)).toBe(false);
  });

  it('a need that ends while its notice is being sent is taken back afterwards', () => {
    const { id } = add();
    see(seenNeed());
    const { notice } = outbox.open(id)[0]!;
    expect(outbox.begin(notice.id)).toBe(true);
    see();
    outbox.done(notice.id, null);
    expect(states(id)).toEqual(['ending']);
    outbox.begin(notice.id);
    outbox.done(notice.id, null);
    expect(states(id)).toEqual(['over']);
    expect(outbox.steps(notice.id).map(({ step }) => step)).toEqual([
      ...['stored', 'tried', 'sent', 'over', 'tried', 'taken_back'],
    ]);
  });

  it('a try that failed may have arrived, so it is taken back when its need ends', () => {
    const { id } = add();
    see(seenNeed());
    const { notice } = outbox.open(id)[0]!;
    outbox.begin(notice.id);
    outbox.failed(notice.id, { detail: 'the connection broke', retryAtMs: 1 });
    see();
    expect(states(id)).toEqual(['ending']);
  });

  it('another beginning from the same gateway is another need; from a gateway that was restarted it is the same', () => {
    const { id } = add();
    see(seenNeed());
    see(seenNeed({ since_utc: '2026-01-01T00:05:00.000Z' }));
    expect(states(id)).toEqual(['waiting', 'unneeded']);
    see(seenNeed({ since_utc: '2026-01-01T00:06:00.000Z', writer: '3 4' }));
    expect(states(id)).toEqual(['waiting', 'unneeded']);
  });

  it('a need whose agent cannot be seen now is not over', () => {
    const { id } = add();
    see(seenNeed());
    outbox.record('host', { needs: [], isUnsure: ({ agent }) => agent === 'ana' });
    expect(states(id)).toEqual(['waiting']);
  });

  it('a subscription gets the needs that are open when it begins, but nothing that had already happened', () => {
    const past = { key: 'past:failed:1', kind: 'failed' as const, past: true };
    see(seenNeed(), seenNeed({ ...past, since_utc: '2025-12-31T00:00:00.000Z' }));
    const { id } = add();
    see(seenNeed(), seenNeed({ ...past, since_utc: '2025-12-31T00:00:00.000Z' }));
    expect(outbox.open(id).map(({ need }) => need.kind)).toEqual(['dialog']);
    see(seenNeed(), seenNeed({ ...past, key: 'past:failed:2', since_utc: '2030-01-01T00:00:00.000Z' }));
    expect(outbox.open(id).map(({ need }) => need.kind)).toEqual(['dialog', 'failed']);
  });

  it('a subscription gets only its agents, its kinds and its person', () => {
    const some = [
      add({ agents: ['ben'] }),
      add({ kinds: ['mail'] }),
      add({ who: 'eve' }),
      add({ who: 'max' }),
    ];
    see(seenNeed(), seenNeed({ key: 'request:1', kind: 'request', person: 'eve' }));
    expect(some.map(({ id }) => states(id).length)).toEqual([0, 0, 2, 1]);
  });

  it('each owner ends only its own needs', () => {
    const { id } = add();
    see(seenNeed());
    outbox.record('server', {
      needs: [seenNeed({ key: 'request:1', kind: 'request' })],
      isUnsure: () => false,
    });
    see();
    expect(states(id)).toEqual(['waiting', 'unneeded']);
  });

  it('a try whose end is unknown after a crash is tried again under the same id, or taken back if its need is over', () => {
    const { id } = add();
    see(seenNeed());
    const { notice } = outbox.open(id)[0]!;
    outbox.begin(notice.id);
    outbox.recover('host');
    expect(outbox.open(id)[0]!.notice).toMatchObject({ uid: notice.uid, state: 'waiting', trying: 0 });
    outbox.begin(notice.id);
    see();
    outbox.recover('host');
    expect(states(id)).toEqual(['ending']);
  });

  it('a removed subscription takes back what it sent, and is then forgotten', () => {
    const { id } = add();
    see(seenNeed());
    const { notice } = outbox.open(id)[0]!;
    outbox.begin(notice.id);
    outbox.done(notice.id, null);
    expect([outbox.remove(id), outbox.remove(id)]).toEqual([true, false]);
    outbox.endRemoved(id, 'host');
    expect(outbox.served().map((each) => each.id)).toEqual([id]);
    outbox.begin(notice.id);
    outbox.done(notice.id, null);
    expect([outbox.served(), outbox.subscriptions()]).toEqual([[], []]);
  });

  it('a damaged subscription is left out, and the others work', () => {
    const [bad, good] = [add(), add()];
    outbox.db.run("UPDATE subscriptions SET target_json = '{' WHERE id = ?", [bad.id]);
    expect(outbox.subscriptions().map(({ id }) => id)).toEqual([good.id]);
    see(seenNeed());
    expect(states(good.id)).toEqual(['waiting']);
  });

  it('a week after their end, needs are forgotten', async () => {
    const { id } = add();
    see(seenNeed());
    see();
    await clock.advance(8 * 86_400_000);
    see(seenNeed());
    expect(states(id)).toEqual(['waiting']);
  });
});
