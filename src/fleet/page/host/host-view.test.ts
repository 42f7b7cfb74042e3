import { expect, it } from 'vitest';
import { silentLog, systemClock } from '../../../base/index.ts';
import type { Sql } from '../../../db/index.ts';
import { type GatewayRecords, openGatewayRecords } from '../../../gateway/offline.ts';
import type { PageChange } from '../../../wire/index.ts';
import { KeptOpen } from '../kept-open.ts';
import { HostView } from './host-view.ts';
import { SeenMarks } from './seen-marks.ts';

/** A view of a host without agents, whose database answers as it is told to. */
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

const heard = (view: HostView): Promise<PageChange[]> =>
  new Promise((resolve) => {
    const from = view.seq;
    const stop = view.changed.on(() => {
      stop();
      resolve(view.since(from)!.map(({ text }) => JSON.parse(text) as PageChange));
    });
  });

it('tells what happens on the host while the database is still asked', async () => {
  const view = viewOf(() => new Promise(() => {}));
  const leave = view.attend();
  const change = heard(view);
  view.touch('ana', 'mail');
  expect(await change).toMatchObject([{ touched: [{ agent: 'ana', what: 'mail' }] }]);
  leave();
  view.close();
});

it('tells all that is heard in one turn together', async () => {
  const view = viewOf(() => Promise.resolve({ rows: [] }));
  const leave = view.attend();
  await view.snapshot();
  const change = heard(view);
  for (const what of ['queue', 'timeline', 'reminders'] as const) view.touch('ana', what);
  expect((await change).map(({ touched }) => touched?.map(({ what }) => what))).toEqual([
    ['queue', 'timeline', 'reminders'],
  ]);
  leave();
  view.close();
});

it('a snapshot waits for the database, and says when it cannot be asked', async () => {
  const view = viewOf(() => Promise.reject(new Error('it is away')));
  expect((await view.snapshot()).troubles).toEqual(['the database cannot be asked: it is away']);
  view.close();
});

it('whoever asks for changes that are no longer kept is told so', async () => {
  const view = viewOf(() => Promise.resolve({ rows: [] }));
  await view.snapshot();
  expect(view.since(view.seq)).toEqual([]);
  expect(view.since(view.seq + 1)).toBeUndefined();
  expect(view.since(0)).toBeUndefined();
  view.close();
});
