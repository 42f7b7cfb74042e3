import { createHash } from 'node:crypto';
import * as fs from 'node:fs';
import * as path from 'node:path';
import {
  conflict,
  crashPoint,
  ensurePrivateDirectory,
  errnoOf,
  explainDisk,
  fsyncDirectory,
  invalid,
  lockFile,
  notFound,
  readJsonIfExists,
  writeFileAtomic,
} from '../../base/index.ts';
import { isMessageId } from '../../domain/index.ts';
import type { HeldMail } from '../port.ts';
import type { InspectedFile, Kept } from './upload.ts';

/** The file of a waiting message. */
export interface HeldFile {
  schema_version: 1;
  message_id: string;
  held_at_utc: string;
  /** The request to the server, without id and attachments. */
  mail: {
    to: string[];
    cc?: string[];
    subject: string;
    body_content: string;
    idempotency_key?: string | null;
  };
  /** It replies to this message of the server, which then knows the recipient. */
  answers?: string;
  /** Their bytes are beside this file. */
  attachments: Kept[];
  /** The server may have it: it was asked and did not respond. */
  tried: boolean;
  /** The server refused it. It stays until someone cancels it. */
  refused?: { code: string; message: string; at_utc: string; told?: true };
}

/** The same before its attachments are stored. */
export type HeldMessage = Omit<HeldFile, 'attachments'> & { attachments: InspectedFile[] };

/**
 * Mail that waits for the server, one file (0600) per message, beside the session. A message is here before its sender
 * gets a result, and leaves only when the server has it or someone cancels it. Its name is the id on the server, so
 * sending it again after a crash is the same message.
 */
export class Outbox {
  readonly #directory: string;

  constructor(mailDirectory: string) {
    this.#directory = path.join(mailDirectory, 'outbox');
  }

  /** Oldest first. Skips unreadable files. */
  list(): HeldFile[] {
    return this.#names().flatMap((name) => this.#read(name) ?? []);
  }

  get isEmpty(): boolean {
    return this.#names().length === 0;
  }

  /** How many files cannot be read. */
  get badCount(): number {
    return this.#names().filter((name) => !this.#read(name)).length;
  }

  /** Stores the message with copies of its attachments: the originals may be gone when it is sent. */
  async hold(held: HeldMessage): Promise<HeldFile> {
    ensurePrivateDirectory(this.#directory);
    const attachments: Kept[] = [];
    try {
      for (const each of held.attachments) attachments.push(await this.#keep(held.message_id, each));
      this.write({ ...held, attachments });
    } catch (error) {
      this.#remove(held.message_id);
      throw explainDisk(error, 'the message could not be kept for later');
    }
    crashPoint('fleet.mail-held');
    return { ...held, attachments };
  }

  write(held: HeldFile): void {
    writeFileAtomic(this.#file(held.message_id), `${JSON.stringify(held)}\n`, { mode: 0o600 });
  }

  /** The server has it. */
  sent(messageId: string): void {
    this.#remove(messageId);
  }

  has(messageId: string): boolean {
    return this.#read(`${messageId}.json`) !== undefined;
  }

  /** Only one process at a time sends or cancels. */
  async exclusively<T>(work: () => Promise<T>): Promise<T> {
    ensurePrivateDirectory(this.#directory);
    const lock = await lockFile(path.join(this.#directory, '.lock'), { timeoutMs: 60_000 });
    try {
      return await work();
    } finally {
      lock.release();
    }
  }

  require(messageId: string): HeldFile {
    const held = isMessageId(messageId) ? this.#read(`${messageId}.json`) : undefined;
    if (held) return held;
    throw notFound(`no message ${messageId} waits in the outbox`, {
      hint: 'it was sent, or taken back; "rouse agents mail outbox list" shows what waits',
    });
  }

  async #keep(messageId: string, { bytes, ...attachment }: InspectedFile): Promise<Kept> {
    const folder = path.join(this.#directory, messageId);
    ensurePrivateDirectory(folder);
    const copy = path.join(folder, attachment.attachment_id);
    const hash = createHash('sha256');
    const handle = await fs.promises.open(copy, 'wx', 0o600);
    try {
      for await (const piece of bytes()) {
        hash.update(piece);
        await handle.writeFile(piece);
      }
      await handle.sync();
    } finally {
      await handle.close();
    }
    if (hash.digest('hex') !== attachment.sha256)
      throw invalid(`${attachment.label} was changed while it was being kept`);
    fsyncDirectory(folder);
    return { ...attachment, path: copy };
  }

  #remove(messageId: string): void {
    fs.rmSync(this.#file(messageId), { force: true });
    fs.rmSync(path.join(this.#directory, messageId), { recursive: true, force: true });
  }

  #names(): string[] {
    try {
      return fs
        .readdirSync(this.#directory)
        .filter((name) => name.endsWith('.json'))
        .sort();
    } catch (error) {
      if (errnoOf(error) === 'ENOENT') return [];
      throw error;
    }
  }

  #read(name: string): HeldFile | undefined {
    try {
      const held = readJsonIfExists(path.join(this.#directory, name)) as Partial<HeldFile> | undefined;
      const sound =
        held?.schema_version === 1 && `${held.message_id}.json` === name && Array.isArray(held.mail?.to);
      return sound ? (held as HeldFile) : undefined;
    } catch {
      return undefined;
    }
  }

  #file(messageId: string): string {
    return path.join(this.#directory, `${messageId}.json`);
  }
}

export function viewHeld({ message_id, held_at_utc, mail, attachments, refused }: HeldFile): HeldMail {
  return {
    message_id,
    held_at_utc,
    to: [...mail.to, ...(mail.cc ?? [])],
    subject: mail.subject,
    attachment_count: attachments.length,
    state: refused ? 'refused' : 'waiting',
    reason: refused?.message ?? null,
  };
}

/** For a cancel while it is unknown whether the server has the message. */
export function cannotTell(messageId: string, cause: Error): Error {
  return conflict(
    `whether the server has ${messageId} already is not known: it was asked, and gave no answer`,
    {
      hint: 'cancel it when the server responds again; until then it is safe: it is never sent twice',
      cause,
    },
  );
}
