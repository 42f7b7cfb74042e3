import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Emitter } from '../src/base/index.ts';
import type { Sql } from '../src/db/index.ts';
import { databases, type TestDatabase } from './support/fleet.ts';

describe.each(databases(import.meta.filename))('hints on %s', (_, open) => {
  let opened: TestDatabase;
  let sql: Sql;
  let heard: string[];
  const emitter = new Emitter<string>();
  let stop: () => Promise<void>;

  beforeAll(async () => {
    opened = await open();
    sql = opened.sql;
  });
  afterAll(() => opened.close());
  beforeEach(async () => {
    heard = [];
    stop = await sql.listen('hints', (payload) => {
      heard.push(payload ?? '(lost)');
      emitter.emit(payload ?? '(lost)');
    });
  });
  afterEach(() => stop());

  /** Resolves when everything sent before was received. */
  async function fence(): Promise<void> {
    const last = emitter.next((payload) => payload === 'fence');
    sql.notify('hints', 'fence');
    await last;
    heard.pop();
  }

  it('hints are received once, however often they are sent in one turn', async () => {
    for (const payload of ['a', 'b', 'a']) sql.notify('hints', payload);
    await fence();
    expect(heard).toEqual(['a', 'b']);
  });

  it('hints of a transaction are received after its commit, and never when it or their part of it is undone', async () => {
    const undone = sql.transaction(async (tx) => {
      tx.notify('hints', 'undone');
      throw new Error('no');
    });
    await expect(undone).rejects.toThrow('no');
    await sql.transaction(async (tx) => {
      tx.notify('hints', 'kept');
      await tx.transaction(async (inner) => inner.notify('hints', 'inner'));
      await tx
        .transaction(async (inner) => {
          inner.notify('hints', 'part undone');
          throw new Error('no');
        })
        .catch(() => {});
      expect(heard).toEqual([]);
    });
    await fence();
    expect(heard).toEqual(['kept', 'inner']);
  });

  it('hints with an odd channel or U+0000 are refused', () => {
    expect(() => sql.notify('Odd Channel', 'x')).toThrow(/channel/);
    expect(() => sql.notify('hints', '\u0000')).toThrow(/U\+0000/);
  });
});
