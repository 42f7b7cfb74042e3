import { expect, it } from 'vitest';
import { silentLog, systemClock } from '../../../base/index.ts';
import type { Sql } from '../../../db/index.ts';
import { type GatewayRecords, openGatewayRecords } from '../../../gateway/offline.ts';
import type { PageChange } from '../../../wire/index.ts';
import { KeptOpen } from '../kept-open.ts';
import { HostView } from './host-view.ts';
import { SeenMarks } from './seen-marks.ts';

/** A view of a host without agents, whose database returns what the test wants. */
function viewOf(query: () => Promise<{ rows: unknown[] }>): HostView {
  const sql = { query } as unknown as Sql;
  return new HostView({
    session: undefined,
    sql,
    clock: systemClock,
    log: silentLog,
    seen: new SeenMarks(sql, systemClock),
    readers: new KeptOpen<GatewayRecords>({
      clock: systemClock,
      fileOf: (root) => root,
      open: openGatewayRecords,
    }),
    epoch: 'test',
    operatorUnread: () => Promise.resolve(0),
    onRequests: () => Promise.resolve(() => Promise.resolve()),
  });
}

const received = (view: HostView): Promise<PageChange[]> =>
  new Promise((resolve) => {
    const from = view.seq;
    const stop = view.changed.on(() => {
      stop();
      resolve(view.since(from)!.map(({ text }) => JSON.parse(text) as PageChange));
    });
  });

it('changes of the host are reported while a database query is still running', async () => {
  const view = viewOf(() => new Promise(() => {}));
  const leave = view.attend();
  const change = received(view);
  view.touch('ana', 'mail');
  expect(await change).toMatchObject([{ touched: [{ agent: 'ana', what: 'mail' }] }]);
  leave();
  view.close();
});

it('changes received in one turn of the event loop are reported together', async () => {
  const view = viewOf(() => Promise.resolve({ rows: [] }));
  const leave = view.attend();
  await view.snapshot();
  const change = received(view);
  for (const what of ['queue', 'timeline', 'reminders'] as const) view.touch('ana', what);
  expect((await change).map(({ touched }) => touched?.map(({ what }) => what))).toEqual([
    ['queue', 'timeline', 'reminders'],
  ]);
  leave();
  view.close();
});

it('a snapshot waits for the database, and says if it cannot be read', async () => {
  const view = viewOf(() => Promise.reject(new Error('it is away')));
  expect((await view.snapshot()).troubles).toEqual(['the database cannot be read: it is away']);
  view.close();
});

it('a reader who asks for changes that are no longer kept has to start over', async () => {
  const view = viewOf(() => Promise.resolve({ rows: [] }));
  await view.snapshot();
  expect(view.since(view.seq)).toEqual([]);
  expect(view.since(view.seq + 1)).toBeUndefined();
  expect(view.since(0)).toBeUndefined();
  view.close();
});
