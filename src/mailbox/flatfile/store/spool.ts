import * as fs from 'node:fs';
import * as path from 'node:path';
import { errnoOf, isRouseError } from '../../../base/index.ts';
import { checkMessage } from '../format/block.ts';
import { LONGEST_BODY } from '../format/body.ts';
import type { FlatMessage } from '../format/envelope.ts';
import { Ringer } from './bell.ts';
import type { MailboxPaths } from './mailbox-path.ts';
import { failure, type Outcome } from './outcome.ts';
import { ANSWERED, DONE, WAITING } from './slot.ts';
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
const LITTER_AGE_MS = 10 * 60_000;
const LONGEST_FILE = 4 * LONGEST_BODY;
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

  #claimOne(name: string, batch: string): Bundle | undefined {
    const token = name.slice(0, -WAITING.length);
    const file = this.#at(`${token}.${batch}${CLAIMED}`);
    try {
      fs.renameSync(this.#at(name), file);
      const text = readRegular(file);
      const bundle: Bundle = { token, file, messages: [], noted: false };
      if (text === undefined || !text.includes('\n')) {
        this.giveBack(bundle);
        return undefined;
      }
      const { messages, bell } = parseMessages(text);
      return { ...bundle, bell, messages: messages.map(checkMessage), noted: hasOutcome(text) };
    } catch (error) {
      if (errnoOf(error) === 'ENOENT') return undefined;
      if (!isRouseError(error) && !(error instanceof SyntaxError) && !(error instanceof TypeError))
        throw error;
      this.#refuse({ token, file, messages: [], noted: true }, error);
      return undefined;
    }
  }

  #refuse(bundle: Bundle, error: unknown): void {
    this.note(bundle, [failure(error)]);
    this.publish(bundle);
    this.wake([bundle]);
  }

  /** Holder: writes the outcome down before the commit, so that it survives the holder. */
  note(bundle: Bundle, outcomes: readonly Outcome[]): void {
    const plain = outcomes.every((outcome) => 'result' in outcome && outcome.result === 'prepended');
    if (plain && !bundle.noted) return;
    bundle.noted = true;
    fs.appendFileSync(bundle.file, `${JSON.stringify({ outcomes })}\n`);
  }

  /** Holder: tells the writer, after the commit is durable. */
  publish({ token, file, noted }: Bundle): void {
    fs.renameSync(file, this.#at(token + (noted ? ANSWERED : DONE)));
  }

  /** Holder: wakes those it answered, after all of them are: whoever wakes wants the processor the holder runs on. */
  wake(bundles: readonly Bundle[]): void {
    for (const { bell } of bundles) if (bell !== undefined) this.#ringer.ring(bell);
  }

  /** Holder: leaves it to somebody else. */
  giveBack({ token, file }: Bundle): void {
    fs.renameSync(file, this.#at(token + WAITING));
  }

  /** Holder: what a holder that died had claimed. Nobody is answered before the commit is durable. */
  async recover(makeDurable: () => Promise<void>): Promise<void> {
    const committed: Bundle[] = [];
    for (const name of this.#names()) {
      const match = /^(.+)\.([^.]+)\.claim$/.exec(name);
      if (!match) continue;
      const bundle = { token: match[1]!, file: this.#at(name), messages: [], noted: false };
      if (fs.existsSync(tempPath(this.#paths.mailbox, match[2]!))) this.giveBack(bundle);
      else committed.push(bundle);
    }
    if (committed.length > 0) await makeDurable();
    for (const bundle of committed)
      this.publish({ ...bundle, noted: hasOutcome(readRegular(bundle.file) ?? '') });
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
    return path.join(this.#paths.spool, name);
  }
}

/** The text of a plain file of bearable size; whatever else stands there is not a message. */
function readRegular(file: string): string | undefined {
  const fd = fs.openSync(file, fs.constants.O_RDONLY | fs.constants.O_NOFOLLOW | fs.constants.O_NONBLOCK);
  try {
    const stat = fs.fstatSync(fd);
    return stat.isFile() && stat.size <= LONGEST_FILE ? fs.readFileSync(fd, 'utf8') : undefined;
  } finally {
    fs.closeSync(fd);
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
