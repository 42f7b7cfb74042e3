import { afterEach, describe, expect, it } from 'vitest';
import { Ending, FakeClock } from '../../base/index.ts';
import { openSqlite, type Sqlite } from '../../db/index.ts';
import type { Standing } from '../../domain/index.ts';
import { readStates, STATE_MIGRATIONS, StateChanges } from './state-changes.ts';

let ending = new Ending();
afterEach(async () => {
  await ending.run();
  ending = new Ending();
});

function store(): { db: Sqlite; clock: FakeClock } {
  const db = openSqlite({ file: ':memory:', migrations: STATE_MIGRATIONS });
  ending.add(() => db.close());
  return { db, clock: new FakeClock() };
}

const standing = (state: Standing['state'], words: string = state): Standing => ({
  ...{ state, words, needs_you: state === 'needs_you' ? 'look' : null },
});
const words = (db: Sqlite, fromMs = 0, limit = 1000): string[] =>
  readStates(db, { fromMs, toMs: Number.MAX_SAFE_INTEGER, limit }).map((each) => each.words);

describe('kept changes of state', () => {
  it('a state is kept once it has lasted, with its beginning and what a person had to do', async () => {
    const { db, clock } = store();
    const states = new StateChanges(db, clock);
    const began = clock.now().getTime();
    states.note(standing('idle'));
    expect(words(db)).toEqual([]);
    await clock.advance(1000);
    states.note(standing('needs_you', 'permission dialog'));
    await clock.advance(1000);
    expect(readStates(db, { fromMs: 0, toMs: began + 5000, limit: 9 })).toEqual([
      { at_ms: began, state: 'idle', words: 'idle', reason: null },
      { at_ms: began + 1000, state: 'needs_you', words: 'permission dialog', reason: 'look' },
    ]);
  });

  it('a passing state is not kept, and the state around it keeps its beginning', async () => {
    const { db, clock } = store();
    const states = new StateChanges(db, clock);
    const since = states.note(standing('working'));
    await clock.advance(5000);
    expect(states.note(standing('waiting', 'a prompt is being typed'))).not.toBe(since);
    await clock.advance(100);
    expect(states.note(standing('working'))).toBe(since);
    await clock.advance(5000);
    expect(words(db)).toEqual(['working']);
  });

  it('nothing is written while nothing changes', async () => {
    const { db, clock } = store();
    const states = new StateChanges(db, clock);
    for (let n = 0; n < 50; n++) {
      states.note(standing('idle'));
      await clock.advance(1000);
    }
    expect(db.get('SELECT total_changes() AS n')).toEqual({ n: 2 });
    expect(words(db)).toEqual(['idle']);
  });

  it('old changes are removed by number and by age, never the newest', async () => {
    const { db, clock } = store();
    const states = new StateChanges(db, clock, { keepRows: 150, keepDays: 1 });
    const change = async (n: number): Promise<void> => {
      states.note(standing(n % 2 ? 'idle' : 'working', `state ${n}`));
      await clock.advance(1000);
    };
    for (let n = 0; n < 500; n++) await change(n);
    expect(words(db).length).toBeLessThanOrEqual(250);
    expect(words(db).at(-1)).toBe('state 499');
    await clock.advance(2 * 86_400_000);
    for (let n = 0; n < 100; n++) await change(n);
    expect(words(db).length).toBeLessThanOrEqual(101);
  });

  it('a gateway that was killed leaves a mark where nothing was seen, one that ended does not need it', async () => {
    const { db, clock } = store();
    new StateChanges(db, clock).note(standing('working'));
    await clock.advance(1000);
    await clock.advance(60_000);
    const next = new StateChanges(db, clock);
    next.note(standing('idle'));
    await clock.advance(1000);
    next.note(standing('unknown', 'not watched'), 'its gateway ended');
    next.end();
    new StateChanges(db, clock).note(standing('working'));
    await clock.advance(1000);
    expect(words(db)).toEqual(['working', 'idle', 'not watched', 'working']);
  });

  it('what cannot be written now is written with the next change', async () => {
    const { db, clock } = store();
    const states = new StateChanges(db, clock);
    db.exec('ALTER TABLE gateway_agent_states RENAME TO away');
    states.note(standing('idle'));
    await clock.advance(1000);
    db.exec('ALTER TABLE away RENAME TO gateway_agent_states');
    states.note(standing('working'));
    await clock.advance(1000);
    expect(words(db)).toEqual(['idle', 'working']);
  });

  it('a clock that was set back makes no state begin before the one it follows', () => {
    const { db } = store();
    for (const [at, state] of [
      [5000, 'idle'],
      [1000, 'working'],
      [6000, 'idle'],
    ])
      db.run('INSERT INTO gateway_agent_states (at_ms, state, words) VALUES (?, ?, ?)', [
        at!,
        state!,
        state!,
      ]);
    expect(readStates(db, { fromMs: 0, toMs: 9000, limit: 9 }).map(({ at_ms }) => at_ms)).toEqual([
      5000, 5000, 6000,
    ]);
    expect(words(db, 5500)).toEqual(['working', 'idle']);
    expect(words(db, 0, 1)).toEqual(['idle']);
  });
});
