import { beforeEach, describe, expect, it } from 'vitest';
import { FakeClock, silentLog } from '../../base/index.ts';
import type { Sql } from '../../db/index.ts';
import { PageSessions } from './door/page-sessions.ts';
import { endWhenIdle } from './end-when-idle.ts';

const IDLE_MS = 30 * 60_000;
/** It checks ten times in that time, so it may be this late. */
const LATE_MS = IDLE_MS / 10;

let clock: FakeClock;
let sessions: PageSessions;
let ended: number;
/** The database's result for how many agents beat lately. */
let beats: () => Promise<number>;
let stop: () => void;
beforeEach(() => {
  clock = new FakeClock();
  sessions = new PageSessions(clock);
  ended = 0;
  beats = () => Promise.resolve(0);
  const sql = { query: async () => ({ rows: [], rowCount: await beats() }) } as unknown as Sql;
  const shutdown = (): void => {
    ended++;
  };
  stop = endWhenIdle({ sql, clock, log: silentLog, sessions, idleMs: IDLE_MS, shutdown });
});

const come = () =>
  sessions.exchange(sessions.mint({ name: 'ana', role: 'view', ttlSeconds: 60 }).code)!.session;

describe('a server that was started for a page', () => {
  it('stops once, if no one opened the page and no agent sends heartbeats', async () => {
    await clock.advance(IDLE_MS - 1);
    expect(ended).toBe(0);
    await clock.advance(LATE_MS);
    expect(ended).toBe(1);
    await clock.advance(10 * IDLE_MS);
    expect([ended, clock.pending]).toEqual([1, 0]);
  });

  it('stays while a tab is open, and for its idle time after the last one', async () => {
    const leave = sessions.attend(come());
    await clock.advance(10 * IDLE_MS);
    leave();
    await clock.advance(IDLE_MS - 1);
    expect(ended).toBe(0);
    await clock.advance(LATE_MS);
    expect(ended).toBe(1);
  });

  it('stays for a link that someone may still use', async () => {
    sessions.mint({ name: 'ana', role: 'view', ttlSeconds: 7200 });
    await clock.advance(7200_000 + IDLE_MS - LATE_MS - 1);
    expect(ended).toBe(0);
    await clock.advance(2 * LATE_MS);
    expect(ended).toBe(1);
  });

  it('stays while an agent sends heartbeats, and while the database cannot be read', async () => {
    beats = () => Promise.resolve(1);
    await clock.advance(10 * IDLE_MS);
    beats = () => Promise.reject(new Error('away'));
    await clock.advance(10 * IDLE_MS);
    expect(ended).toBe(0);
    beats = () => Promise.resolve(0);
    await clock.advance(IDLE_MS + LATE_MS);
    expect(ended).toBe(1);
  });

  it('a server that was started for a page does nothing more once the idle check is stopped, even in the middle of a check', async () => {
    let answer = (_: number): void => {};
    beats = () =>
      new Promise((resolve) => {
        answer = resolve;
      });
    await clock.advance(LATE_MS);
    stop();
    answer(0);
    await clock.advance(10 * IDLE_MS);
    expect([ended, clock.pending]).toEqual([0, 0]);
  });
});
