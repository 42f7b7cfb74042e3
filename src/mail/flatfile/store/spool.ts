import * as fs from 'node:fs';
import { errnoOf } from '../../../base/index.ts';
import { checkMessage } from '../format/block.ts';
import type { FlatMessage } from '../format/envelope.ts';
import { Ringer } from './bell.ts';
import type { MailboxPaths } from './mailbox-path.ts';
import { failure, type Outcome } from './outcome.ts';
import { ANSWERED, DONE, readSlot, WAITING } from './slot.ts';
import { tempPath } from './temp-file.ts';

/** Messages one writer left, taken by the lock holder. */
export interface Bundle {
  token: string;
  file: string;
  messages: FlatMessage[];
  /** The writer's pipe, to wake it. */
  bell?: unknown;
  /** An outcome stands in the file already, of this attempt or of one before. */
  noted: boolean;
}

const CLAIMED = '.claim';
const ASIDE = '.aside';
const LITTER_AGE_MS = 10 * 60_000;
const MOST_BUNDLES = 256;

/**
 * Where writers that find the lock taken leave their messages, so that whoever holds it commits them too. Each writer
 * has one file there, its slot, whose name says whose turn it is:
 *
 *   <slot>.idle           the writer's: nothing waits.
 *   <slot>.msg            waiting. Its writer may take it back.
 *   <slot>.<batch>.claim  the holder has it.
 *   <slot>.done           committed and durable, every message of it prepended. The writer's again.
 *   <slot>.answer         committed or refused; the last line says what became of each message. The writer's again.
 *
 * Each step is one rename, so writer and holder never both think a message is theirs. The first line of a file holds
 * the messages; an outcome other than "prepended" is added as a further line before the mailbox is replaced. After a
 * crash the temporary file tells: while it exists the batch was not committed and goes back to waiting; when it is
 * gone, the batch was committed with the outcome noted last.
 */
export class Spool {
  #paths: MailboxPaths;
  #ringer: Ringer;

  constructor(paths: MailboxPaths) {
    this.#paths = paths;
    this.#ringer = new Ringer(paths.spool);
  }

  /** How many writers wait. */
  countWaiting(): number {
    return this.#names().filter((name) => name.endsWith(WAITING)).length;
  }

  /** Holder: takes what waits, oldest first. A message that is not fit to be written is answered, not taken. */
  claim(batch: string): Bundle[] {
    const waiting = this.#names()
      .filter((name) => name.endsWith(WAITING))
      .sort();
    return waiting.slice(0, MOST_BUNDLES).flatMap((name) => this.#claimOne(name, batch) ?? []);
  }

  /** Never throws: whoever was claimed before it in this batch would be taken for committed. */
  #claimOne(name: string, batch: string): Bundle | undefined {
    const token = name.slice(0, -WAITING.length);
    const bundle: Bundle = {
      token,
      file: this.#at(`${token}.${batch}${CLAIMED}`),
      messages: [],
      noted: false,
    };
    try {
      fs.renameSync(this.#at(name), bundle.file);
    } catch {
      return undefined;
    }
    try {
      return this.#read(bundle);
    } catch (error) {
      quietly(() => this.#refuse(bundle, error)) || quietly(() => this.giveBack(bundle));
      return undefined;
    }
  }

  #read(bundle: Bundle): Bundle | undefined {
    const { text, alien } = readSlot(bundle.file);
    if (text === undefined) {
      if (alien) this.#setAside(bundle);
      else this.giveBack(bundle);
      return undefined;
    }
    const { messages, bell } = parseMessages(text);
    return { ...bundle, bell, messages: messages.map(checkMessage), noted: hasOutcome(text) };
  }

  /** Not a slot at all (a planted link, pipe, directory): out of the way, until it is swept. */
  #setAside({ file }: Bundle): void {
    quietly(() => fs.renameSync(file, `${file.slice(0, -CLAIMED.length)}${ASIDE}`));
  }

  #refuse(bundle: Bundle, error: unknown): void {
    bundle.noted = true;
    this.note(bundle, [failure(error)]);
    this.publish(bundle);
    this.wake([bundle]);
  }

  /** Holder: writes the outcome down before the commit, so that it survives the holder. */
  note(bundle: Bundle, outcomes: readonly Outcome[]): void {
    const plain = outcomes.every((outcome) => 'result' in outcome && outcome.result === 'prepended');
    if (plain && !bundle.noted) return;
    bundle.noted = true;
    const { O_WRONLY, O_APPEND, O_NOFOLLOW, O_NONBLOCK } = fs.constants;
    const fd = fs.openSync(bundle.file, O_WRONLY | O_APPEND | O_NOFOLLOW | O_NONBLOCK);
    try {
      fs.writeFileSync(fd, `${JSON.stringify({ outcomes })}\n`);
    } finally {
      fs.closeSync(fd);
    }
  }

  /** Holder: tells the writer, after the commit is durable. */
  publish({ token, file, noted }: Bundle): void {
    fs.renameSync(file, this.#at(token + (noted ? ANSWERED : DONE)));
  }

  /** Holder: wakes those it answered, after all of them are: whoever wakes wants the processor the holder runs on. */
  wake(bundles: readonly Bundle[]): void {
    for (const { bell } of bundles) if (bell !== undefined) this.#ringer.ring(bell);
  }

  /** A holder that has let go: wakes one of those who still wait, to take the lock in its place. */
  handOver(): void {
    for (const name of this.#names()) {
      if (name.endsWith(WAITING) && this.#ringer.ring(this.#bellOf(name))) return;
    }
  }

  #bellOf(name: string): unknown {
    try {
      return parseMessages(readSlot(this.#at(name)).text ?? '').bell;
    } catch {
      return undefined;
    }
  }

  /** Holder: leaves it to somebody else. */
  giveBack({ token, file }: Bundle): void {
    fs.renameSync(file, this.#at(token + WAITING));
  }

  /**
   * Holder: what a holder that died had claimed. Nobody is answered before the commit is durable; whoever cannot be
   * answered stops nobody else.
   */
  async recover(makeDurable: () => Promise<void>): Promise<void> {
    const committed: Bundle[] = [];
    for (const name of this.#names()) {
      const match = /^(.*)\.([^.]+)\.claim$/.exec(name);
      if (!match) continue;
      const bundle = { token: match[1]!, file: this.#at(name), messages: [], noted: false };
      if (!isRegular(bundle.file)) this.#setAside(bundle);
      else if (!fs.existsSync(tempPath(this.#paths.mailbox, match[2]!))) committed.push(bundle);
      else quietly(() => this.giveBack(bundle));
    }
    if (committed.length > 0) await makeDurable();
    for (const bundle of committed) {
      quietly(() => this.publish({ ...bundle, noted: hasOutcome(readSlot(bundle.file).text ?? '') }));
    }
  }

  /** Holder: removes answers nobody fetched and pieces nobody finished. */
  sweep(now: number): void {
    for (const name of this.#names()) {
      const stat = fs.lstatSync(this.#at(name), { throwIfNoEntry: false });
      if (stat && now - stat.mtimeMs > LITTER_AGE_MS)
        fs.rmSync(this.#at(name), { force: true, recursive: true });
    }
  }

  #names(): string[] {
    try {
      return fs.readdirSync(this.#paths.spool);
    } catch (error) {
      if (errnoOf(error) === 'ENOENT') return [];
      throw error;
    }
  }

  #at(name: string): string {
    return `${this.#paths.spool}/${name}`;
  }
}

const isRegular = (file: string): boolean => fs.lstatSync(file, { throwIfNoEntry: false })?.isFile() === true;

/** True when it could be done. */
function quietly(work: () => void): boolean {
  try {
    work();
    return true;
  } catch {
    return false;
  }
}

const hasOutcome = (text: string): boolean => text.indexOf('\n') < text.length - 1;

function parseMessages(text: string): { messages: FlatMessage[]; bell: unknown } {
  const { messages, bell } = JSON.parse(text.slice(0, text.indexOf('\n'))) as {
    messages: { fields: [string, string][]; body: string }[];
    bell: unknown;
  };
  const read = messages.map(({ fields, body }) => ({
    fields: new Map(fields.map(([key, value]) => [String(key), String(value)])),
    body: String(body),
  }));
  return { messages: read, bell };
}
