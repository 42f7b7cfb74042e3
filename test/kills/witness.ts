import * as fs from 'node:fs';
import type { KillableAgent } from './kill-world.ts';

const TOKEN = /\bitem-\d{6}\b/g;

/** Everything the agent itself recorded as received, read as it grows. */
export class Witness {
  /** Prompts it received, in order, with normalised white space. */
  readonly prompts: string[] = [];
  /** How often each item was in a prompt, or in mail it read. */
  readonly seen = new Map<string, number>();
  #file: string;
  #at = 0;
  #rest = '';

  constructor({ transcript }: Pick<KillableAgent, 'transcript'>) {
    this.#file = transcript;
  }

  look(): void {
    const fd = fs.openSync(this.#file, 'r');
    try {
      const buffer = Buffer.alloc(Math.max(0, fs.fstatSync(fd).size - this.#at));
      this.#at += fs.readSync(fd, buffer, 0, buffer.length, this.#at);
      this.#take(buffer.toString('latin1'));
    } finally {
      fs.closeSync(fd);
    }
  }

  #take(text: string): void {
    const lines = (this.#rest + text).split('\n');
    this.#rest = lines.pop()!;
    for (const line of lines.filter(Boolean)) {
      const record = JSON.parse(Buffer.from(line, 'latin1').toString('utf8')) as Record<string, unknown>;
      if (record['type'] === 'submitted') {
        this.prompts.push(evenly(String(record['text'])));
        this.#note(String(record['text']));
      }
      if (record['type'] === 'mail_read') this.#note(String(record['subject']));
    }
  }

  #note(text: string): void {
    for (const token of new Set(text.match(TOKEN))) this.seen.set(token, (this.seen.get(token) ?? 0) + 1);
  }
}

/** Text without the line-end differences that a terminal makes. */
export const evenly = (text: string): string => text.replace(/\s+/g, ' ').trim();
