import { openSqlite, type Sqlite, type SqliteMigration } from '../db/index.ts';

/** One message in one mailbox. */
export interface NumberedMail {
  mailbox: string;
  ref: string;
}

const MIGRATIONS: readonly SqliteMigration[] = [
  {
    id: '001-numbers',
    sql: `
CREATE TABLE mail_numbers (
  owner TEXT NOT NULL,
  number INTEGER NOT NULL,
  mailbox TEXT NOT NULL,
  ref TEXT NOT NULL,
  PRIMARY KEY (owner, number),
  UNIQUE (owner, mailbox, ref)
) STRICT, WITHOUT ROWID;
`,
  },
];

/**
 * Short numbers for messages, so that a person can write "read 3". Each reader has their own. A number is assigned when a
 * message is first listed, and belongs to that message for good: it is never a place in a list.
 */
export class MailNumbers {
  readonly #db: Sqlite;

  constructor(file: string) {
    this.#db = openSqlite({ file, migrations: MIGRATIONS });
  }

  close(): void {
    this.#db.close();
  }

  /** The numbers of these messages, in the same order. New ones are numbered in that order, too. */
  number(owner: string, mails: readonly NumberedMail[]): number[] {
    const known = mails.map((mail) => this.#known(owner, mail));
    if (known.every((number) => number !== undefined)) return known;
    return this.#db.transaction(() =>
      mails.map((mail) => this.#known(owner, mail) ?? this.#add(owner, mail)),
    );
  }

  /** The message that has this number; undefined if none has. */
  find(owner: string, number: number): NumberedMail | undefined {
    return this.#db.get<NumberedMail>(
      'SELECT mailbox, ref FROM mail_numbers WHERE owner = ? AND number = ?',
      [owner, number],
    );
  }

  #known(owner: string, { mailbox, ref }: NumberedMail): number | undefined {
    return this.#db.get<{ number: number }>(
      'SELECT number FROM mail_numbers WHERE owner = ? AND mailbox = ? AND ref = ?',
      [owner, mailbox, ref],
    )?.number;
  }

  #add(owner: string, { mailbox, ref }: NumberedMail): number {
    return this.#db.get<{ number: number }>(
      `INSERT INTO mail_numbers (owner, number, mailbox, ref)
       VALUES (?, (SELECT coalesce(max(number), 0) + 1 FROM mail_numbers WHERE owner = ?), ?, ?) RETURNING number`,
      [owner, owner, mailbox, ref],
    )!.number;
  }
}
