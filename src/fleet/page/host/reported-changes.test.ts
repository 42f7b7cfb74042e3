import { expect, it } from 'vitest';
import { FakeClock } from '../../../base/index.ts';
import type { PageAgentRow, PageChange } from '../../../wire/index.ts';
import type { Picture } from './host-picture.ts';
import { ReportedChanges } from './reported-changes.ts';

const row = (over: Partial<PageAgentRow>): PageAgentRow =>
  ({ id: 'id-ana', name: 'ana', state: 'idle', state_words: 'idle', unread: 0, ...over }) as PageAgentRow;
const picture = (shown: PageAgentRow): Picture => ({
  agents: new Map([['id-ana', { row: shown, signature: JSON.stringify(shown), needs: [] }]]),
  needs: [],
  counts: {} as Picture['counts'],
  troubles: [],
});

it('an agent with a new state is to be loaded again; one whose chart grew is not', () => {
  const reported = new ReportedChanges(new FakeClock());
  const report = (shown: PageAgentRow): PageChange['touched'][] => {
    const { seq } = reported;
    reported.report(picture(shown), []);
    return reported.since(seq)!.map(({ text }) => (JSON.parse(text) as PageChange).touched);
  };
  const touched = [{ agent: 'ana', what: 'timeline' }];
  report(row({}));
  expect(report(row({ state: 'needs_you', state_words: 'permission dialog' }))).toEqual([touched]);
  expect(report(row({}))).toEqual([touched]);
  expect(report(row({ unread: 1 }))).toEqual([touched]);
  expect(report(row({ unread: 1, last_wake_utc: '2026-01-01T00:00:00Z' }))).toEqual([undefined]);
  expect(report(row({ unread: 1, last_wake_utc: '2026-01-01T00:00:00Z' }))).toEqual([]);
});
