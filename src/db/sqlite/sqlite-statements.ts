import type { DatabaseSyncInstance, StatementSyncInstance } from '@photostructure/sqlite';
import { internal } from '../../base/index.ts';
import { type StatementShape, shapeOf } from './sqlite-shape.ts';

export interface Prepared {
  sql: string;
  statement: StatementSyncInstance;
  shape: StatementShape;
}

/**
 * Prepared statements by text, least recently used forgotten first. The driver frees a forgotten statement only when
 * the event loop turns, so texts must be few and fixed: never put values into SQL text.
 */
export class StatementCache {
  #db: DatabaseSyncInstance;
  #limit: number;
  #byText = new Map<string, Prepared>();

  constructor(db: DatabaseSyncInstance, limit = 256) {
    this.#db = db;
    this.#limit = limit;
  }

  get size(): number {
    return this.#byText.size;
  }

  /** The statement for one call that ends before any other code can use it. */
  use(sql: string): Prepared {
    const known = this.#byText.get(sql);
    // The order matters only when one must go.
    if (known && this.#byText.size < this.#limit) return known;
    const prepared = this.take(sql);
    this.giveBack(prepared);
    return prepared;
  }

  /** The statement for this caller alone until giveBack(): a second reader must not restart a cursor. */
  take(sql: string): Prepared {
    const known = this.#byText.get(sql);
    if (known) {
      this.#byText.delete(sql);
      return known;
    }
    if (sql.includes('\u0000')) throw internal('SQL text contains U+0000');
    const shape = shapeOf(sql);
    const statement = this.#db.prepare(sql);
    statement.setReadBigInts(true);
    return { sql, statement, shape };
  }

  giveBack(prepared: Prepared): void {
    this.#byText.set(prepared.sql, prepared);
    if (this.#byText.size > this.#limit) this.#byText.delete(this.#byText.keys().next().value as string);
  }

  clear(): void {
    this.#byText.clear();
  }
}
