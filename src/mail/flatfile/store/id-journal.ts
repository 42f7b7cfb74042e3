import * as fs from 'node:fs';
import { errnoOf } from '../../../base/index.ts';
import { contentHash } from '../format/block.ts';
import { type ByteSource, fileSource } from '../format/byte-source.ts';
import { messagesIn } from '../format/found-message.ts';
import { IdSet } from './id-set.ts';
import type { MailboxPaths } from './mailbox-path.ts';
import { openToUsers, sideMode } from './side-directory.ts';
import { currentIdentity, identityOf } from './snapshot.ts';

export interface JournalEntry {
  id: string;
  hash: string;
}

/** The journal as this process left it: while its file is this one, nobody has written to it since. */
interface Left {
  identity: string;
  size: number;
  mailbox: string;
  archive: string;
  /** Every id in it is known here. */
  remembered: boolean;
}

const TITLE = 'rouse-mailfile-ids 1 ';
const HEADER_LENGTH = TITLE.length + 13;
const CHUNK = 1024 * 1024;
const DAY_MS = 86_400_000;
const FINDS_BEFORE_MEMORY = 8;
const MOST_REMEMBERED = 8 * 1024 * 1024;

/**
 * Every id this mailbox has seen, with a hash of what it said: one `id TAB hash TAB day` per line, and after each
 * change a line `TAB mailbox TAB archive` naming the state of both files that the lines above cover.
 *
 * It is derived: when its last line does not name the files as they are (a crash before the append, a shell script,
 * an editor, a fresh clone), it is made again from them. An id that is in neither is new: a message that was taken out
 * (`git checkout`) and is sent again is not a duplicate of anything. It is appended only after the message is durable, and
 * needs no fsync: losing its end costs one scan, never a message.
 */
export class IdJournal {
  #paths: MailboxPaths;
  #finds = 0;
  #known = new Map<string, string>();
  #read = { inode: 0, size: 0 };
  #baseline = 0;
  #left: Left | undefined;

  constructor(paths: MailboxPaths) {
    this.#paths = paths;
  }

  /** True when it covers exactly these states of mailbox and archive, and has not grown far beyond its use. */
  covers(mailbox: string, archive: string): boolean {
    const left = this.#stillLeft();
    if (left) return left.mailbox === mailbox && left.archive === archive && this.#isShort(left.size);
    return this.#reading((fd, size) => {
      const tail = fileSource(fd, size)
        .read(Math.max(0, size - 512), 512)
        .toString('utf8');
      this.#baseline = Number(fileSource(fd, size).read(TITLE.length, 12).toString('latin1'));
      return tail.endsWith(`\n${checkpoint(mailbox, archive)}`) && this.#isShort(size);
    }, false);
  }

  #isShort(size: number): boolean {
    return size < CHUNK + 2 * this.#baseline;
  }

  #stillLeft(): Left | undefined {
    return this.#left && currentIdentity(this.#paths.ids) === this.#left.identity ? this.#left : undefined;
  }

  /** The hashes of those ids that are known. */
  find(ids: readonly string[]): Map<string, string> {
    const found = new Map<string, string>();
    if (ids.length === 0) return found;
    if (this.#stillLeft()?.remembered) {
      this.#findKnown(ids, found);
      return found;
    }
    this.#reading((fd, size) => {
      const source = fileSource(fd, size);
      if (++this.#finds <= FINDS_BEFORE_MEMORY || size > MOST_REMEMBERED) return lookUp(source, ids, found);
      this.#remember(source, fs.fstatSync(fd).ino);
      this.#findKnown(ids, found);
    }, undefined);
    return found;
  }

  #findKnown(ids: readonly string[], found: Map<string, string>): void {
    for (const id of ids) if (this.#known.has(id)) found.set(id, this.#known.get(id)!);
  }

  /** A process that looks often keeps the ids in memory and reads only what was appended since. */
  #remember(source: ByteSource, inode: number): void {
    if (this.#read.inode !== inode || this.#read.size > source.size) {
      this.#known.clear();
      this.#read = { inode, size: 0 };
    }
    for (const { id, hash } of journalLines(source, this.#read.size)) {
      if (!this.#known.has(id)) this.#known.set(id, hash);
    }
    this.#read.size = source.size;
  }

  /** After the commit, which stands whatever happens here: a journal that could not be appended is found stale. */
  append(entries: readonly JournalEntry[], mailbox: string, archive: string): void {
    this.#left = undefined;
    try {
      this.#append(entries, mailbox, archive);
    } catch {
      return;
    }
  }

  #append(entries: readonly JournalEntry[], mailbox: string, archive: string): void {
    const day = today();
    const lines = entries.map(({ id, hash }) => `${id}\t${hash}\t${day}\n`).join('');
    const flags = fs.constants.O_WRONLY | fs.constants.O_APPEND | fs.constants.O_NOFOLLOW;
    const fd = fs.openSync(this.#paths.ids, flags);
    try {
      const bytes = Buffer.from(`${lines}${checkpoint(mailbox, archive)}`);
      // A disk that was full took a part of it: found stale by the next look.
      if (fs.writeSync(fd, bytes) !== bytes.length) return;
      const stat = fs.fstatSync(fd, { bigint: true });
      const size = Number(stat.size);
      const remembered = this.#read.inode === Number(stat.ino) && this.#read.size + bytes.length === size;
      if (remembered) {
        for (const { id, hash } of entries) this.#known.set(id, hash);
        this.#read.size = size;
      }
      this.#left = { identity: identityOf(stat), size, mailbox, archive, remembered };
    } finally {
      fs.closeSync(fd);
    }
  }

  /** Made anew from the files; answers how many messages of them carry an id. */
  rebuild(
    mailbox: { source: ByteSource; identity: string },
    archive: { source: ByteSource; identity: string },
  ): number {
    const file = `${this.#paths.ids}.new`;
    fs.rmSync(file, { force: true });
    const fd = fs.openSync(file, 'wx', sideMode(this.#paths));
    let count = 0;
    try {
      openToUsers(this.#paths, fd);
      const seen = new IdSet();
      const lines = lineWriter(fd);
      lines.add(`${TITLE}${'0'.padStart(12)}\n`);
      for (const { source } of [mailbox, archive]) {
        for (const { id, hash } of idsOf(source)) {
          count++;
          if (seen.add(id)) lines.add(`${id}\t${hash()}\t${today()}\n`);
        }
      }
      lines.add(checkpoint(mailbox.identity, archive.identity));
      fs.writeSync(fd, String(lines.flush()).padStart(12), TITLE.length, 'latin1');
    } finally {
      fs.closeSync(fd);
    }
    fs.renameSync(file, this.#paths.ids);
    return count;
  }

  #reading<T>(work: (fd: number, size: number) => T, absent: T): T {
    let fd: number;
    try {
      fd = fs.openSync(
        this.#paths.ids,
        fs.constants.O_RDONLY | fs.constants.O_NOFOLLOW | fs.constants.O_NONBLOCK,
      );
    } catch (error) {
      if (errnoOf(error) === 'ENOENT' || errnoOf(error) === 'ELOOP') return absent;
      throw error;
    }
    try {
      const { size } = fs.fstatSync(fd);
      const readable = fileSource(fd, size).read(0, HEADER_LENGTH).toString('latin1').startsWith(TITLE);
      return readable ? work(fd, size) : absent;
    } finally {
      fs.closeSync(fd);
    }
  }
}

const checkpoint = (mailbox: string, archive: string): string => `\t${mailbox}\t${archive}\n`;
const today = (): number => Math.floor(Date.now() / DAY_MS);

/** Ids of a mailbox file. The hash is made only when asked for: it reads the body. */
function* idsOf(source: ByteSource): Generator<{ id: string; hash: () => string }> {
  for (const message of messagesIn(source)) {
    const { id } = message;
    if (id !== undefined && !id.includes('\t')) yield { id, hash: () => contentHash(message.read()) };
  }
}

/** Looks for `newline id TAB` in the bytes: a few ids in a large journal cost one pass of memory search each. */
function lookUp(source: ByteSource, ids: readonly string[], found: Map<string, string>): void {
  const needles = ids.map((id) => ({ id, bytes: Buffer.from(`\n${id}\t`) }));
  const overlap = Math.max(...needles.map(({ bytes }) => bytes.length)) + 32;
  for (let at = 0; at < source.size; at += CHUNK - overlap) {
    const view = source.read(at, CHUNK);
    for (const { id, bytes } of needles) {
      const hit = found.has(id) ? -1 : view.indexOf(bytes);
      if (hit === -1) continue;
      const start = hit + bytes.length;
      const hash = /^[0-9a-f]{16}/.exec(view.toString('latin1', start, start + 16))?.[0];
      if (hash !== undefined) found.set(id, hash);
    }
    if (at + view.length >= source.size) return;
  }
}

function* journalLines(source: ByteSource, from = 0): Generator<JournalEntry> {
  let rest = '';
  const decoder = new TextDecoder();
  for (let at = from; at < source.size; at += CHUNK) {
    const lines = (rest + decoder.decode(source.read(at, CHUNK), { stream: true })).split('\n');
    rest = lines.pop()!;
    for (const line of lines) {
      const match = /^([^\t]+)\t([0-9a-f]{16})\t(\d+)$/.exec(line);
      if (match) yield { id: match[1]!, hash: match[2]! };
    }
  }
}

/** Gathers lines and writes them in pieces. flush() answers how many bytes were written in all. */
function lineWriter(fd: number): { add(line: string): void; flush(): number } {
  let waiting: string[] = [];
  let length = 0;
  let written = 0;
  const flush = (): number => {
    const bytes = Buffer.from(waiting.join(''));
    // All of it or an error: an id that is missing here could be delivered twice.
    for (let at = 0; at < bytes.length; ) at += fs.writeSync(fd, bytes, at, bytes.length - at);
    written += bytes.length;
    waiting = [];
    length = 0;
    return written;
  };
  return {
    add(line) {
      waiting.push(line);
      length += line.length;
      if (length > 65_536) flush();
    },
    flush,
  };
}
