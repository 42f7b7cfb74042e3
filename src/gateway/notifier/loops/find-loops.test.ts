import { describe, expect, it } from 'vitest';
import type { MailStep } from '../../../mail/index.ts';
import { findLoops, type OpenReply } from './find-loops.ts';

const at = (second: number): string => new Date(second * 1000).toISOString();
const agents = (newest: number, replies: number): MailStep[] =>
  Array.from({ length: replies }, (_, n) => ({ created_at_utc: at(newest - n), by: 'agent' }));
const person = (second: number): MailStep => ({ created_at_utc: at(second), by: 'person' });
const reply = (trail: MailStep[], thread_ref = 't'): OpenReply => ({ thread_ref, trail });
const find = (replies: OpenReply[], since?: number) =>
  findLoops(replies, { limit: 20, resumedAt: () => (since === undefined ? undefined : at(since)) });

describe('a mail loop', () => {
  it('a mail loop begins with the 20th reply in a row', () => {
    expect(find([reply(agents(100, 19))]).paused).toEqual([]);
    expect(find([reply(agents(100, 20))]).paused).toEqual([
      { thread_ref: 't', automatic_replies: 20, newest_at_utc: at(100) },
    ]);
  });

  it('a thread with a person among the last replies is no mail loop', () => {
    expect(find([reply([...agents(100, 19), person(50)])])).toEqual({ paused: [], resumed: [] });
  });

  it('many replies to the same message are no mail loop', () => {
    expect(find(Array.from({ length: 50 }, (_, n) => reply(agents(100 + n, 1)))).paused).toEqual([]);
  });

  it('mail loops are found per thread', () => {
    const { paused } = find([reply(agents(100, 20), 'a'), reply(agents(100, 3), 'b')]);
    expect(paused.map(({ thread_ref }) => thread_ref)).toEqual(['a']);
  });

  it('a mail loop ends when a person writes anywhere in the thread, and the time is returned', () => {
    expect(find([reply(agents(100, 20)), reply([person(101)])])).toEqual({
      paused: [],
      resumed: [{ thread_ref: 't', since_utc: at(101) }],
    });
  });

  it('a mail loop goes on when the person wrote before the last 20 replies', () => {
    expect(find([reply(agents(100, 20)), reply([person(80)])]).paused).toHaveLength(1);
  });

  it('a resumed mail loop counts replies from the time of the resume', () => {
    expect(find([reply(agents(100, 20))], 100)).toEqual({ paused: [], resumed: [] });
    expect(find([reply(agents(119, 20))], 100).paused).toEqual([]);
    expect(find([reply(agents(120, 20))], 100).paused).toHaveLength(1);
  });
});
