import * as fs from 'node:fs';
import * as path from 'node:path';
import { pipeline, type Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createGzip } from 'node:zlib';
import { ensurePrivateDirectory, errnoOf, invalid, messageOf, notFound } from '../../base/index.ts';

/** The first line of a backup. */
export interface BackupHeader {
  rouse_backup: 1;
  created_at: string;
  /** The version of the program that wrote it. */
  version: string;
  /** The major version of PostgreSQL that can read it. */
  postgres: string;
  /** The applied layout steps, in order. */
  steps: readonly string[];
}

type Entry = { path: string; size?: number } | { end: number };

const CHUNK = 1024 * 1024;

/** The ending of a backup that is compressed once more, as a whole. */
export const COMPRESSED = '.br';

/**
 * Packs a database directory into one compressed stream: the header, for each entry a line of JSON (`path`, `size`; a
 * directory has no size) and its bytes, and finally the number of entries. A truncated stream has no end line.
 */
export function packBackup(directory: string, header: BackupHeader, { level = 4 } = {}): Readable {
  // The reader of the stream gets a failure. If the reader stops, so does the reading of the file.
  return pipeline(parts(directory, header), createGzip({ level }), () => {});
}

async function* parts(directory: string, header: BackupHeader): AsyncGenerator<Buffer> {
  yield line(header);
  let count = 0;
  for (const entry of fs.readdirSync(directory, { recursive: true, withFileTypes: true })) {
    const full = path.join(entry.parentPath, entry.name);
    const name = path.relative(directory, full);
    count++;
    if (entry.isDirectory()) yield line({ path: name });
    else yield* file(full, name);
  }
  yield line({ end: count });
}

async function* file(full: string, name: string): AsyncGenerator<Buffer> {
  const handle = await fs.promises.open(full);
  try {
    const { size } = await handle.stat();
    yield line({ path: name, size });
    for (let at = 0; at < size; ) {
      const { bytesRead, buffer } = await handle.read(
        Buffer.allocUnsafe(Math.min(CHUNK, size - at)),
        0,
        null,
        at,
      );
      if (bytesRead === 0) throw new Error(`${full} became shorter`);
      yield buffer.subarray(0, bytesRead);
      at += bytesRead;
    }
  } finally {
    await handle.close();
  }
}

const line = (value: object): Buffer => Buffer.from(`${JSON.stringify(value)}\n`);

/** Reads only the header of a backup. */
export async function readBackupHeader(archive: string): Promise<BackupHeader> {
  const reader = new Reader(archive);
  try {
    return await headerOf(reader);
  } finally {
    reader.close();
  }
}

/**
 * Reads a backup to its end, into a new directory if one is named. Refuses a damaged or truncated backup, and paths
 * that lead out of the directory.
 */
export async function unpackBackup(archive: string, directory?: string): Promise<BackupHeader> {
  const reader = new Reader(archive);
  try {
    const header = await headerOf(reader);
    if (directory !== undefined) ensurePrivateDirectory(directory);
    for (let count = 0; ; count++) {
      const entry = (await reader.json()) as Entry;
      if ('end' in entry) {
        if (entry.end !== count) throw notABackup(archive, 'entries are missing');
        return header;
      }
      await unpack(reader, entry, directory);
    }
  } finally {
    reader.close();
  }
}

async function unpack(
  reader: Reader,
  { path: name, size }: Extract<Entry, { path: string }>,
  directory: string | undefined,
): Promise<void> {
  if (directory === undefined) return reader.bytes(size ?? 0, () => {});
  const full = path.resolve(directory, name);
  if (!full.startsWith(directory + path.sep)) throw notABackup(reader.archive, `"${name}" leads out of it`);
  ensurePrivateDirectory(size === undefined ? full : path.dirname(full));
  if (size === undefined) return;
  const fd = fs.openSync(full, 'wx', 0o600);
  try {
    await reader.bytes(size, (chunk) => void fs.writeSync(fd, chunk));
  } finally {
    fs.closeSync(fd);
  }
}

async function headerOf(reader: Reader): Promise<BackupHeader> {
  const header = (await reader.json()) as Partial<BackupHeader>;
  const fine =
    header.rouse_backup === 1 && typeof header.postgres === 'string' && Array.isArray(header.steps);
  if (fine) return header as BackupHeader;
  throw notABackup(reader.archive, 'its first line is another');
}

function notABackup(archive: string, why: string): Error {
  return invalid(`${archive} is not a whole backup: ${why}`, {
    hint: 'take one that "rouse server backup FILE" finished',
  });
}

/** Lines and bytes of a compressed file, in their order. */
class Reader {
  readonly archive: string;
  readonly #source: fs.ReadStream;
  readonly #chunks: AsyncIterator<Buffer>;
  #rest: Buffer = Buffer.alloc(0);

  constructor(archive: string) {
    this.archive = archive;
    this.#source = fs.createReadStream(archive);
    const whole = archive.endsWith(COMPRESSED)
      ? pipeline(this.#source, createBrotliDecompress(), () => {})
      : this.#source;
    const plain = pipeline(whole, createGunzip(), () => {});
    this.#chunks = plain[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  }

  close(): void {
    this.#source.destroy();
  }

  async json(): Promise<unknown> {
    let end = this.#rest.indexOf(0x0a);
    while (end < 0) {
      if (this.#rest.length > CHUNK) throw notABackup(this.archive, 'a line has no end');
      this.#rest = Buffer.concat([this.#rest, await this.#more()]);
      end = this.#rest.indexOf(0x0a);
    }
    const text = this.#rest.toString('utf8', 0, end);
    this.#rest = this.#rest.subarray(end + 1);
    try {
      return JSON.parse(text);
    } catch {
      throw notABackup(this.archive, 'a line is not JSON');
    }
  }

  async bytes(count: number, take: (chunk: Buffer) => void): Promise<void> {
    for (let left = count; left > 0; ) {
      if (this.#rest.length === 0) this.#rest = await this.#more();
      const chunk = this.#rest.subarray(0, left);
      take(chunk);
      left -= chunk.length;
      this.#rest = this.#rest.subarray(chunk.length);
    }
  }

  async #more(): Promise<Buffer> {
    try {
      const { value, done } = await this.#chunks.next();
      if (!done) return value;
    } catch (error) {
      if (errnoOf(error) === 'ENOENT') throw notFound(`there is no file ${this.archive}`);
      throw notABackup(this.archive, messageOf(error));
    }
    throw notABackup(this.archive, 'it ends too early');
  }
}
