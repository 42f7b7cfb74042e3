import * as fs from 'node:fs';
import { type Clock, type ProcessIdentity, startedAtMs } from '../../base/index.ts';
import type { ToolSignal } from '../../screen/index.ts';
import { samePrompt } from './same-prompt.ts';
import type { LimitReport, OnSignal, ReceivedPrompt, SignalReader, TurnEnd } from './signal-reader.ts';
import { watchFile } from './watched-file.ts';

/** One event of a tool's log of a conversation. */
export interface LogEntry {
  /** The log's own name for it; always `user_message` for a prompt. */
  kind: string;
  atMs: number;
  /** The prompt, of a `user_message`. */
  text: string;
  /** The tool's answer, at the end of a turn, if the log has it. */
  answer?: string;
  /** What it reports about usage limits: when those that are used up end, or the message with which one ended the turn. */
  limit?: { untilMs: number | null } | { message: string };
}

/** A tool's log of a conversation, line by line. */
export interface LogKind {
  source: string;
  /** The name of this log as the source of a proof. */
  proof: string;
  /** The log of the conversation that this process shows; undefined if there is none, null if it is unknown which it is. */
  find(tool: ProcessIdentity): string | null | undefined;
  /** The possible logs if `find` returns null. The one in which our prompt appears is the right one. */
  candidates?(tool: ProcessIdentity): string[];
  /** `line` is a JSON object of the log. */
  entryOf(line: object): LogEntry[];
  /** The conversation's id, if the name of the log contains it. */
  idOf?(file: string): string | undefined;
  states: Record<string, ToolSignal['state']>;
  /** Entries from before the process began are ignored: another process may have died in the middle of a turn. */
  outlivesProcess?: true;
}

/** The result of a turn by its last entry. */
const RESULTS: Partial<Record<ToolSignal['state'], TurnEnd['result']>> = {
  idle: 'success',
  interrupted: 'interrupted',
  failed: 'known_failure',
};

const KEPT = 200;
const CHUNK_BYTES = 1 << 20;
/** Reading the open files of a process takes time. The minimum interval, with a known log and without one. */
const SEEK_MS = { again: 500, first: 100 };

/** Reads a tool's log of the conversation: first its end, then what is added. */
export class SessionLog implements SignalReader {
  readonly #kind: LogKind;
  readonly #clock: Clock;
  readonly #changed: OnSignal;
  #tool: ProcessIdentity | undefined;
  #file: string | undefined;
  #unwatch: (() => void) | undefined;
  #inode: number | undefined;
  #read = 0;
  #rest = '';
  #entries: LogEntry[] = [];
  #sinceMs = 0;
  #soughtAt = Number.NEGATIVE_INFINITY;
  /** `find` does not know which log it is. A log recognised since then proves prompts, but the tool may have left it. */
  #unsure = false;
  /** The last report of how much is used, and the last message that a limit was reached. */
  #used: { untilMs: number | null } | undefined;
  #refused: string | null = null;

  constructor(kind: LogKind, clock: Clock, changed: OnSignal) {
    this.#kind = kind;
    this.#clock = clock;
    this.#changed = changed;
  }

  follow(tool: ProcessIdentity | undefined): void {
    if (tool?.pid !== this.#tool?.pid || tool?.startTicks !== this.#tool?.startTicks) this.#open(undefined);
    this.#tool = tool;
    this.#soughtAt = Number.NEGATIVE_INFINITY;
    this.#find();
  }

  read(): ToolSignal[] {
    this.#find();
    const { source, states } = this.#kind;
    const newest = this.#entries.findLast(({ kind }) => states[kind] !== undefined);
    if (!newest || !this.#tool || this.#unsure) return [];
    const ageMs = Math.max(0, this.#clock.now().getTime() - newest.atMs);
    return [{ source, state: states[newest.kind]!, ageMs, writerAlive: true, detail: newest.kind }];
  }

  received(text: string, sinceMs: number): ReceivedPrompt | undefined {
    this.#find();
    const taken = (each: LogEntry): boolean =>
      each.kind === 'user_message' && each.atMs >= sinceMs && samePrompt(each.text, text);
    if (this.#unsure && !this.#entries.some(taken)) this.#recognise(taken, sinceMs);
    const entry = this.#entries.findLast(taken);
    if (!entry) return undefined;
    const facts = { file: this.#file, kind: entry.kind };
    return { source: this.#kind.proof, atUtc: new Date(entry.atMs).toISOString(), facts };
  }

  turnEnd(text: string, sinceMs: number): TurnEnd | undefined {
    this.#find();
    const at = this.#entries.findLastIndex(({ kind }) => kind === 'user_message');
    const prompt = this.#entries[at];
    if (!prompt || prompt.atMs < sinceMs || !samePrompt(prompt.text, text)) return undefined;
    const { proof: source, states } = this.#kind;
    const last = this.#entries.slice(at + 1).findLast(({ kind }) => states[kind] !== undefined);
    const result = last && RESULTS[states[last.kind]!];
    return result && { source, atUtc: new Date(last.atMs).toISOString(), result };
  }

  answerSince(sinceMs: number): string | undefined {
    this.#find();
    const ends = ({ kind, atMs }: LogEntry): boolean => this.#kind.states[kind] === 'idle' && atMs >= sinceMs;
    return this.#entries.findLast(ends)?.answer;
  }

  limit(): LimitReport | undefined {
    this.#find();
    if (!this.#tool || this.#unsure || (!this.#used && this.#refused === null)) return undefined;
    return { source: this.#kind.source, endedTurn: this.#refused, untilMs: this.#used?.untilMs ?? null };
  }

  conversation(): string | undefined {
    return this.#file === undefined ? undefined : this.#kind.idOf?.(this.#file);
  }

  close(): void {
    this.#unwatch?.();
  }

  /** The file appears with the first prompt, and another one with each new chat. */
  #find(): void {
    const now = this.#clock.monotonic();
    const wait = this.#file === undefined ? SEEK_MS.first : SEEK_MS.again;
    if (!this.#tool || now - this.#soughtAt < wait) return;
    this.#soughtAt = now;
    try {
      const file = this.#kind.find(this.#tool);
      this.#unsure = file === null;
      if (file === undefined || file === (this.#file ?? null)) return;
      if (file === null && this.#kind.candidates?.(this.#tool).includes(this.#file!)) return;
      this.#sinceMs = this.#kind.outlivesProcess ? (startedAtMs(this.#tool) ?? 0) : 0;
      this.#open(file ?? undefined);
    } catch {
      // The process cannot be read now, so the last known log is used.
    }
  }

  /** If another tool received the same words at the same time, none is recognised. */
  #recognise(isOurs: (entry: LogEntry) => boolean, sinceMs: number): void {
    try {
      const found = (this.#kind.candidates?.(this.#tool!) ?? [])
        .filter((file) => (fs.statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0) >= sinceMs)
        .filter((file) =>
          endOf(file)
            .split('\n')
            .flatMap((line) => entriesIn(line, this.#kind))
            .some(isOurs),
        );
      if (found.length === 1) this.#open(found[0]);
    } catch {
      // as above
    }
  }

  #open(file: string | undefined): void {
    this.#unwatch?.();
    this.#unwatch = undefined;
    this.#file = file;
    this.#entries = [];
    this.#used = undefined;
    this.#refused = null;
    this.#inode = undefined;
    if (file === undefined) return;
    this.#unwatch = watchFile(file, () => this.#more());
    this.#more();
  }

  #more(): void {
    if (this.#file === undefined) return;
    const renewed = this.#startOver(this.#file);
    const lines = (this.#rest + this.#readOn(this.#file)).split('\n');
    this.#rest = lines.pop() ?? '';
    const read = lines.flatMap((line) => entriesIn(line, this.#kind));
    const limited = read.filter((entry) => this.#noteLimit(entry)).length > 0;
    const fresh = read.filter((entry) => this.#matters(entry));
    if (limited && fresh.length === 0) this.#changed();
    if (fresh.length === 0 && !renewed) return;
    this.#entries = [...this.#entries, ...fresh].slice(-KEPT);
    this.#changed();
  }

  /** Returns whether the entry changes what is known of limits. A new prompt ends what was reported of the turn before. */
  #noteLimit({ kind, limit }: LogEntry): boolean {
    if (kind === 'user_message') this.#refused = null;
    if (limit === undefined) return false;
    if ('message' in limit) this.#refused = limit.message;
    else {
      const before = this.#used?.untilMs ?? null;
      this.#used = limit;
      return before !== limit.untilMs;
    }
    return true;
  }

  /** Reads the end of a log that is new, was replaced or was cut: a tool may take a prompt back. */
  #startOver(file: string): boolean {
    const now = fs.statSync(file, { throwIfNoEntry: false });
    if (!now || (now.ino === this.#inode && now.size >= this.#read)) return false;
    this.#inode = now.ino;
    this.#read = Math.max(0, now.size - CHUNK_BYTES);
    this.#rest = '';
    this.#entries = [];
    return true;
  }

  #readOn(file: string): string {
    let fd: number;
    try {
      fd = fs.openSync(file, 'r');
    } catch {
      return '';
    }
    try {
      const left = Math.min(fs.fstatSync(fd).size - this.#read, 16 * CHUNK_BYTES);
      if (left <= 0) return '';
      const bytes = Buffer.alloc(left);
      const count = fs.readSync(fd, bytes, 0, left, this.#read);
      // Only whole lines: the last character may be incomplete.
      const end = bytes.subarray(0, count).lastIndexOf(0x0a) + 1;
      this.#read += end;
      return bytes.subarray(0, end).toString();
    } finally {
      fs.closeSync(fd);
    }
  }

  /** Keeps only relevant events: the hundreds of others in a long turn must not push out its start. */
  #matters({ kind, atMs }: LogEntry): boolean {
    return atMs >= this.#sinceMs && (this.#kind.states[kind] !== undefined || kind === 'user_message');
  }
}

function endOf(file: string): string {
  try {
    const fd = fs.openSync(file, 'r');
    try {
      const { size } = fs.fstatSync(fd);
      const bytes = Buffer.alloc(Math.min(size, CHUNK_BYTES));
      return bytes.subarray(0, fs.readSync(fd, bytes, 0, bytes.length, size - bytes.length)).toString();
    } finally {
      fs.closeSync(fd);
    }
  } catch {
    return '';
  }
}

/** The entries of one line; none if it is not a JSON object. */
export function entriesIn(line: string, { entryOf }: Pick<LogKind, 'entryOf'>): LogEntry[] {
  try {
    const parsed: unknown = JSON.parse(line);
    return typeof parsed === 'object' && parsed !== null ? entryOf(parsed) : [];
  } catch {
    return [];
  }
}
