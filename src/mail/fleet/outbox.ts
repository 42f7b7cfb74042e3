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
import type { Kept, Looked } from './upload.ts';

/** A message that waits, as its file holds it. */
export interface HeldFile {
  schema_version: 1;
  message_id: string;
  held_at_utc: string;
  /** What the server is asked, but for id and attachments. */
  mail: {
    to: string[];
    cc?: string[];
    subject: string;
    body_content: string;
    idempotency_key?: string | null;
  };
  /** It is the answer to this message of the server, which then knows whom it is for. */
  answers?: string;
  /** Their bytes lie beside this file. */
  attachments: Kept[];
  /** The server may have it: it was asked, and gave no answer. */
  tried: boolean;
  /** The server will not have it; it stays until somebody cancels it. */
  refused?: { code: string; message: string; at_utc: string; told?: true };
}

/** The same before its bytes are kept. */
export type HeldMessage = Omit<HeldFile, 'attachments'> & { attachments: Looked[] };

/**
 * Mail that waits for the server, one file for each message (0600), beside the session. A message is in here before its
 * sender is told, and leaves only when the server has it, or when somebody takes it back. Its name is the id that the server
 * knows it by: sent again after a crash it is the same message.
 */
export class Outbox {
  readonly #directory: string;

  constructor(mailDirectory: string) {
    this.#directory = path.join(mailDirectory, 'outbox');
  }

  /** Oldest first. A file that is none is skipped. */
  list(): HeldFile[] {
    return this.#names().flatMap((name) => this.#read(name) ?? []);
  }

  get isEmpty(): boolean {
    return this.#names().length === 0;
  }

  /** Files that nobody can read. */
  get badCount(): number {
    return this.#names().filter((name) => !this.#read(name)).length;
  }

  /** With copies of what it carries: the files themselves may be gone when it is sent. */
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

  /** One at a time sends or takes back, of all processes. */
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

  async #keep(messageId: string, { bytes, ...attachment }: Looked): Promise<Kept> {
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

/** Of a message that is to be taken back while nobody can tell whether the server has it. */
export function cannotTell(messageId: string, cause: Error): Error {
  return conflict(
    `whether the server has ${messageId} already is not known: it was asked, and gave no answer`,
    {
      hint: 'take it back when the server answers again; until then it is safe: it is never sent twice',
      cause,
    },
  );
}
