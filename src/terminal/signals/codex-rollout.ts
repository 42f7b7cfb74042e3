import * as fs from 'node:fs';
import type { Clock, ProcessIdentity } from '../../base/index.ts';
import type { ToolSignal } from '../../screen/index.ts';
import { openRollout } from './open-rollout.ts';
import { entryOf, type RolloutEntry } from './rollout-entry.ts';
import { samePrompt } from './same-prompt.ts';
import type { Heard, OnSignal, SignalReader } from './signal-reader.ts';
import { watchFile } from './watched-file.ts';

const SAYS: Record<string, ToolSignal['says']> = {
  task_started: 'busy',
  turn_started: 'busy',
  task_complete: 'idle',
  turn_complete: 'idle',
  turn_aborted: 'interrupted',
};

const KEPT = 200;
const CHUNK_BYTES = 1 << 20;
/** Looking through the open files of a process takes a while; at most so often, with a log at hand and without. */
const SEEK_MS = { again: 500, first: 100 };

/**
 * The log Codex keeps of the conversation, found among the files its process holds open. Read from its end when first
 * met, then as it grows.
 */
export class CodexRollout implements SignalReader {
  readonly #clock: Clock;
  readonly #changed: OnSignal;
  #tool: ProcessIdentity | undefined;
  #file: string | undefined;
  #unwatch: (() => void) | undefined;
  #read = 0;
  #rest = '';
  #entries: RolloutEntry[] = [];
  #soughtAt = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock, changed: OnSignal) {
    this.#clock = clock;
    this.#changed = changed;
  }

  follow(tool: ProcessIdentity | undefined): void {
    if (tool?.pid !== this.#tool?.pid) this.#open(undefined);
    this.#tool = tool;
    this.#soughtAt = Number.NEGATIVE_INFINITY;
    this.#find();
  }

  read(): ToolSignal[] {
    this.#find();
    const newest = this.#entries.findLast(({ kind }) => SAYS[kind] !== undefined);
    if (!newest || !this.#tool) return [];
    const ageMs = Math.max(0, this.#clock.now().getTime() - newest.atMs);
    return [
      { source: 'codex_rollout', says: SAYS[newest.kind]!, ageMs, writerAlive: true, detail: newest.kind },
    ];
  }

  heard(text: string, sinceMs: number): Heard | undefined {
    this.#find();
    const entry = this.#entries.findLast(
      (each) => each.kind === 'user_message' && each.atMs >= sinceMs && samePrompt(each.text, text),
    );
    if (!entry) return undefined;
    const facts = { file: this.#file, kind: entry.kind };
    return { source: 'rollout', atUtc: new Date(entry.atMs).toISOString(), facts };
  }

  close(): void {
    this.#unwatch?.();
  }

  /** The file appears with the first prompt, and another one when a new chat begins. */
  #find(): void {
    const now = this.#clock.monotonic();
    const wait = this.#file === undefined ? SEEK_MS.first : SEEK_MS.again;
    if (!this.#tool || now - this.#soughtAt < wait) return;
    this.#soughtAt = now;
    const file = openRollout(this.#tool.pid);
    if (file !== undefined && file !== this.#file) this.#open(file);
  }

  #open(file: string | undefined): void {
    this.#unwatch?.();
    this.#unwatch = undefined;
    this.#file = file;
    this.#entries = [];
    this.#read = 0;
    this.#rest = '';
    if (file === undefined) return;
    const size = fs.statSync(file, { throwIfNoEntry: false })?.size ?? 0;
    this.#read = Math.max(0, size - CHUNK_BYTES);
    this.#unwatch = watchFile(file, () => this.#more());
    this.#more();
  }

  #more(): void {
    if (this.#file === undefined) return;
    const lines = (this.#rest + this.#readOn(this.#file)).split('\n');
    this.#rest = lines.pop() ?? '';
    const fresh = lines.flatMap(entryOf).filter(matters);
    if (fresh.length === 0) return;
    this.#entries = [...this.#entries, ...fresh].slice(-KEPT);
    this.#changed();
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
      // Only whole lines: a character may be cut at the end of what is there.
      const end = bytes.subarray(0, count).lastIndexOf(0x0a) + 1;
      this.#read += end;
      return bytes.subarray(0, end).toString();
    } finally {
      fs.closeSync(fd);
    }
  }
}

/** A long turn writes hundreds of other events; they must not push out the one that began it. */
function matters({ kind }: RolloutEntry): boolean {
  return SAYS[kind] !== undefined || kind === 'user_message';
}
