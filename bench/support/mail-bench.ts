import { once } from 'node:events';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { composeMail } from '../../src/domain/index.ts';
import { deliver } from '../../src/mail/filesystem/deliver.ts';
import { initMailStore, type MailStore, openMailStore } from '../../src/mail/index.ts';
import { type Apart, apart, type Counts, countsFor } from './mail-apart.ts';
import { BODY, insertPlain, plainTable, READER, send, startJob, WRITER, warmUp } from './mail-jobs.ts';
import { inlinedRate, recipeRate, type ShellLoad } from './shell-recipe.ts';

/** Work that is measured in slices, alternating with others, so other load affects all alike. */
export class Lane {
  #work: (count: number) => Promise<void> | void;
  #after: () => Promise<void> | void;
  #count = 0;
  #spentMs = 0;

  constructor(work: (count: number) => Promise<void> | void, after: () => Promise<void> | void = () => {}) {
    this.#work = work;
    this.#after = after;
  }

  async slice(count: number): Promise<void> {
    const start = performance.now();
    await this.#work(count);
    this.#spentMs += performance.now() - start;
    this.#count += count;
    await this.#after();
  }

  /** Per second. */
  get rate(): number {
    return this.#count / (this.#spentMs / 1000);
  }
}

/** The contenders, each in its own directory on the same disk. */
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

  /** One writer that appends 4 kB and flushes. */
  raw(): Lane {
    const fd = fs.openSync(path.join(this.place(), 'raw'), 'w');
    const block = Buffer.alloc(4096, 'x');
    return new Lane((count) => {
      for (let n = 0; n < count; n++) {
        fs.writeSync(fd, block);
        fs.fsyncSync(fd);
      }
    });
  }

  /** SQLite, one insert per transaction, flushed. */
  sqlite(): Lane {
    const db = plainTable(path.join(this.place(), 'plain.sqlite'), true);
    return new Lane((count) => {
      for (let n = 0; n < count; n++) insertPlain(db, n);
    });
  }

  /** Producers in this process, each waiting for the result of its send. `published` also waits for files and links. */
  async inProcess(producers: number): Promise<{ answered: Lane; published: Lane; end: () => Promise<void> }> {
    const store = this.store();
    const mailbox = store.mailbox(WRITER);
    for (let n = 0; n < warmUp(1); n++) await send(mailbox, n);
    const produce = async (count: number): Promise<void> => {
      let left = count;
      await Promise.all(
        Array.from({ length: producers }, async () => {
          while (left-- > 0) await send(mailbox, left);
        }),
      );
    };
    return {
      answered: new Lane(produce, () => store.published()),
      published: new Lane(async (count) => {
        await produce(count);
        await store.published();
      }),
      end: () => store.close(),
    };
  }

  /** The shell recipe, a script per message. */
  recipe(producers: number): Promise<number> {
    return recipeRate(this.#shells(producers));
  }

  /** The shell recipe inlined in a loop of one shell. */
  inlined(producers: number): Promise<number> {
    return inlinedRate(this.#shells(producers));
  }

  #shells(producers: number): ShellLoad {
    return { directory: this.place(), producers, each: Math.ceil(96 / producers), body: BODY };
  }

  /** Each process writes to the store itself. */
  processes(producers: number): Promise<Apart> {
    return this.#kept(producers, (order, root) => apart(producers, { ...order, kind: 'write', root }));
  }

  /** Each process asks one gateway, which writes for all. */
  gateway(producers: number): Promise<Apart> {
    return this.#kept(producers, async (order, root) => {
      const gateway = startJob({ kind: 'serve', root });
      const [port] = (await once(gateway.stdout!, 'data')) as [Buffer];
      try {
        return await apart(producers, { ...order, kind: 'ask', port: Number(port) }, gateway);
      } finally {
        gateway.stdin!.end();
        await once(gateway, 'close');
      }
    });
  }

  /** Checks the number of messages in the store afterwards. */
  async #kept(producers: number, work: (order: Counts, root: string) => Promise<Apart>): Promise<Apart> {
    const store = this.store();
    const { root } = store.layout;
    await store.close();
    const order = countsFor(producers);
    const result = await work(order, root);
    const check = openMailStore({ root });
    const { message_count: kept } = await check.mailbox(READER).count();
    await check.close();
    const sent = producers * (order.count + order.warmUp);
    if (kept !== sent) throw new Error(`we kept ${kept} of ${sent}`);
    return result;
  }

  /** The upper limit for separate processes: with only the disk, and with alternating access to one database. */
  floor(kind: 'append' | 'insert', producers: number): Promise<Apart> {
    const file = path.join(this.place(), kind);
    // Its log must exist for the processes that flush it.
    if (kind === 'insert') insertPlain(plainTable(file, false), 0);
    return apart(producers, { ...countsFor(producers), kind, file });
  }

  /** Fills a mailbox to this size quickly: many deliveries per commit, no files. */
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
