import * as fs from 'node:fs';
import * as path from 'node:path';
import { openSqlite } from '../../src/db/index.ts';
import { composeMail } from '../../src/domain/index.ts';
import { deliver } from '../../src/mailbox/filesystem/deliver.ts';
import { initMailStore, type MailStore, openMailStore } from '../../src/mailbox/index.ts';
import { BODY, READER, send, startJob, WARM_UP, WRITER } from './mail-jobs.ts';
import { race } from './race.ts';
import { recipeRate } from './shell-recipe.ts';

/** What is measured beside each other, each time in a place of its own on the same disk. */
export class Bench {
  #directory: string;
  #next = 0;

  constructor(directory: string) {
    this.#directory = directory;
  }

  place(): string {
    const place = path.join(this.#directory, String(this.#next++));
    fs.mkdirSync(place);
    return place;
  }

  store(): MailStore {
    const store = initMailStore({ root: this.place() });
    for (const address of [READER, WRITER]) store.register({ address, owner_principal_id: address });
    return store;
  }

  raw(count = 600): number {
    const fd = fs.openSync(path.join(this.place(), 'raw'), 'w');
    const block = Buffer.alloc(4096, 'x');
    const start = performance.now();
    for (let n = 0; n < count; n++) {
      fs.writeSync(fd, block);
      fs.fsyncSync(fd);
    }
    fs.closeSync(fd);
    return count / ((performance.now() - start) / 1000);
  }

  sqlite(count = 600): number {
    const sql = 'CREATE TABLE mail (id INTEGER PRIMARY KEY, sender TEXT, subject TEXT, body TEXT)';
    const db = openSqlite({ file: path.join(this.place(), 'plain.sqlite'), migrations: [{ id: '1', sql }] });
    const start = performance.now();
    for (let n = 0; n < count; n++) {
      db.run('INSERT INTO mail (sender, subject, body) VALUES (?, ?, ?)', ['w', `message ${n}`, BODY]);
    }
    const rate = count / ((performance.now() - start) / 1000);
    db.close();
    return rate;
  }

  /** Answers per second, and the rate when the files and links of all of them are there too. */
  async inProcess(producers: number, count = 1600): Promise<{ answered: number; published: number }> {
    const store = this.store();
    const mailbox = store.mailbox(WRITER);
    for (let n = 0; n < WARM_UP; n++) await send(mailbox, n);
    await store.published();
    const start = performance.now();
    let left = count;
    await Promise.all(
      Array.from({ length: producers }, async () => {
        while (left-- > 0) await send(mailbox, left);
      }),
    );
    const answered = count / ((performance.now() - start) / 1000);
    await store.published();
    const published = count / ((performance.now() - start) / 1000);
    await store.close();
    return { answered, published };
  }

  recipe(producers: number): Promise<number> {
    return recipeRate(this.place(), producers, BODY);
  }

  async processes(producers: number): Promise<number> {
    const store = this.store();
    const { root } = store.layout;
    await store.close();
    const count = Math.ceil(1600 / producers);
    const children = Array.from({ length: producers }, () => startJob({ kind: 'write', root, count }));
    const rate = (producers * count) / (await race(children));
    const check = openMailStore({ root });
    const { message_count: kept } = await check.mailbox(READER).count();
    await check.close();
    const sent = producers * (count + WARM_UP);
    if (kept !== sent) throw new Error(`we kept ${kept} of ${sent}`);
    return rate;
  }

  /** A box of this size, quickly: many deliveries per commit, no files. */
  async filled(store: MailStore, from: number, to: number, body = BODY): Promise<void> {
    const party = (address: string) => ({ principal_id: address, address });
    for (let n = from; n < to; ) {
      await store.commit((db) => {
        const active = store.book.open(db);
        for (let i = 0; i < 500 && n < to; i++, n++) {
          const parts = { from: party(WRITER), to: [party(READER)], cc: [], body, at: new Date() };
          const { seq } = deliver(db, active, composeMail({ ...parts, subject: `message ${n}` }));
          if (n % 10 > 0) db.run('UPDATE mail_state SET is_read = 1 WHERE seq = ?', [seq]);
        }
      });
    }
  }
}
