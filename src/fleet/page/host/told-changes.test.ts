import { expect, it } from 'vitest';
import { FakeClock } from '../../../base/index.ts';
import type { PageAgentRow, PageChange } from '../../../wire/index.ts';
import type { Picture } from './host-picture.ts';
import { ToldChanges } from './told-changes.ts';

const row = (over: Partial<PageAgentRow>): PageAgentRow =>
  ({ id: 'id-ana', name: 'ana', state: 'idle', state_words: 'idle', unread: 0, ...over }) as PageAgentRow;
const picture = (shown: PageAgentRow): Picture => ({
  agents: new Map([['id-ana', { row: shown, signature: JSON.stringify(shown), needs: [] }]]),
  needs: [],
  counts: {} as Picture['counts'],
  troubles: [],
});

it('an agent that stands otherwise is worth asking for again; one whose chart grew is not', () => {
  const told = new ToldChanges(new FakeClock());
  const tell = (shown: PageAgentRow): PageChange['touched'][] => {
    const { seq } = told;
    told.tell(picture(shown), []);
    return told.since(seq)!.map(({ text }) => (JSON.parse(text) as PageChange).touched);
  };
  const touched = [{ agent: 'ana', what: 'timeline' }];
  tell(row({}));
  expect(tell(row({ state: 'needs_you', state_words: 'permission dialog' }))).toEqual([touched]);
  expect(tell(row({}))).toEqual([touched]);
  expect(tell(row({ unread: 1 }))).toEqual([touched]);
  expect(tell(row({ unread: 1, last_wake_utc: '2026-01-01T00:00:00Z' }))).toEqual([undefined]);
  expect(tell(row({ unread: 1, last_wake_utc: '2026-01-01T00:00:00Z' }))).toEqual([]);
});
