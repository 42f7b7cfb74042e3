import { beforeEach, describe, expect, it } from 'vitest';
import { FakeClock } from '../../../base/index.ts';
import { type Admitted, PageSessions } from './page-sessions.ts';

const [MINUTE, HOUR, DAY] = [60_000, 3_600_000, 86_400_000];
let clock: FakeClock;
let sessions: PageSessions;
beforeEach(() => {
  clock = new FakeClock();
  sessions = new PageSessions(clock);
});

const mint = (name = 'ana', ttlSeconds = 60): string =>
  sessions.mint({ name, role: 'operate', ttlSeconds }).code;
const come = (name?: string): Admitted => sessions.exchange(mint(name))!;
const isIn = ({ cookie, header }: Admitted): boolean => sessions.find(cookie, header) !== undefined;

describe('a code for the page', () => {
  it('works once, and only before it expires', async () => {
    const [first, late] = [mint(), mint()];
    expect(sessions.exchange(first)?.session).toMatchObject({ name: 'ana', role: 'operate' });
    expect(sessions.exchange(first)).toBeUndefined();
    await clock.advance(MINUTE);
    expect(sessions.exchange(late)).toBeUndefined();
  });
});

describe('a session of the page', () => {
  it('ends after an hour without a request, and each request restarts the hour', async () => {
    const ana = come();
    await clock.advance(HOUR - 1);
    expect(isIn(ana)).toBe(true);
    await clock.advance(HOUR - 1);
    expect(isIn(ana)).toBe(true);
    await clock.advance(HOUR);
    expect(isIn(ana)).toBe(false);
    expect(ana.session.ended.signal.aborted).toBe(true);
  });

  it('a session of the page does not end while a tab listens; the hour begins when the last tab closes', async () => {
    const ana = come();
    const leave = [sessions.attend(ana.session), sessions.attend(ana.session)];
    await clock.advance(2 * HOUR);
    leave[0]!();
    leave[0]!();
    await clock.advance(2 * HOUR);
    leave[1]!();
    await clock.advance(HOUR - 1);
    expect(sessions.list()).toHaveLength(1);
    await clock.advance(1);
    expect(isIn(ana)).toBe(false);
  });

  it('ends after seven days in any case, and its streams with it', async () => {
    const ana = come();
    sessions.attend(ana.session);
    await clock.advance(7 * DAY - 1);
    sessions.endOld();
    expect(ana.session.ended.signal.aborted).toBe(false);
    await clock.advance(1);
    sessions.endOld();
    expect(ana.session.ended.signal.aborted).toBe(true);
  });

  it('a session of the page is found only by its cookie and its own header, and failed attempts do not keep it alive', async () => {
    const [ana, ben] = [come('ana'), come('ben')];
    expect(sessions.find(ana.cookie, ben.header)).toBeUndefined();
    expect(sessions.find(ana.cookie, undefined)).toBeUndefined();
    await clock.advance(HOUR - 1);
    expect(sessions.find(ana.cookie, 'guess')).toBeUndefined();
    await clock.advance(1);
    expect(isIn(ana)).toBe(false);
  });

  it('a session of the page is revoked with the codes of the same person, and others stay', () => {
    const [ana, ben] = [come('ana'), come('ben')];
    const unused = mint('ana');
    expect(sessions.revoke({ name: 'ana' })).toEqual({ sessions: 1, codes: 1 });
    expect([isIn(ana), isIn(ben), sessions.exchange(unused)]).toEqual([false, true, undefined]);
  });
});
