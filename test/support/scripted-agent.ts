import * as fs from 'node:fs';
import * as net from 'node:net';
import * as path from 'node:path';
import { invalid, unavailable } from '../../src/base/index.ts';
import type { TranscriptRecord } from '../../src/scripted/tui/transcript.ts';

export { fingerprint } from '../../src/scripted/fingerprint.ts';
export { PROCESS_TITLE } from '../../src/scripted/run.ts';
export type { Skin } from '../../src/scripted/tui/skin.ts';
export { SKINS } from '../../src/scripted/tui/skins.ts';
export type { TranscriptRecord } from '../../src/scripted/tui/transcript.ts';

/** The number of past events kept for waiting; briefly twice as many. */
const KEPT = 10_000;

interface Waiting {
  wanted: Matches;
  resolve: (event: TranscriptRecord) => void;
  reject: (error: Error) => void;
}

type Matches = (event: TranscriptRecord) => boolean;

/** The other end of the control channel, for tests and demos: sends faults, waits for events. */
export class ControlClient {
  #socket: net.Socket;
  #seen: TranscriptRecord[] = [];
  #waiting = new Set<Waiting>();
  #asked = new Map<number, { resolve: (result: unknown) => void; reject: (error: Error) => void }>();
  #lastId = 0;
  #closed = new AbortController();

  private constructor(socket: net.Socket) {
    this.#socket = socket;
    let rest = '';
    socket.setEncoding('utf8');
    socket.on('data', (chunk: string) => {
      const lines = (rest + chunk).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) this.#take(JSON.parse(line) as Record<string, unknown>);
    });
    socket.on('error', () => socket.destroy());
    socket.on('close', () => this.#end());
  }

  /** Waits until the agent listens; from then on it has every event since the agent's start. */
  static async connect(socketPath: string, signal?: AbortSignal): Promise<ControlClient> {
    for (;;) {
      signal?.throwIfAborted();
      const socket = await tryConnect(socketPath);
      if (!socket) {
        await new Promise((resolve) => setTimeout(resolve, 5));
        continue;
      }
      const client = new ControlClient(socket);
      for (const event of (await client.send('replay')) as TranscriptRecord[]) client.#keep(event);
      return client;
    }
  }

  /** The result of the message; rejects if the agent refused it. */
  send(type: string, fields: Record<string, unknown> = {}): Promise<unknown> {
    const id = ++this.#lastId;
    return new Promise((resolve, reject) => {
      if (this.#closed.signal.aborted) return reject(unavailable('the agent has gone'));
      this.#asked.set(id, { resolve, reject });
      this.#socket.write(`${JSON.stringify({ ...fields, id, type })}\n`);
    });
  }

  /** The number of the latest event; pass it to `event` to wait for a later one. */
  get mark(): number {
    return this.#seen.at(-1)?.seq ?? 0;
  }

  get events(): readonly TranscriptRecord[] {
    return this.#seen;
  }

  /** The first event of that type after `after`, past or future. Rejects if the agent ends first. */
  event(type: string, matches: Matches = () => true, after = 0): Promise<TranscriptRecord> {
    const wanted: Matches = (event) => event.type === type && event.seq > after && matches(event);
    const past = this.#seen.find(wanted);
    if (past) return Promise.resolve(past);
    if (this.#closed.signal.aborted) return Promise.reject(unavailable('the agent has gone'));
    return new Promise((resolve, reject) => this.#waiting.add({ wanted, resolve, reject }));
  }

  get closed(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#closed.signal.aborted) resolve();
      else this.#closed.signal.addEventListener('abort', () => resolve(), { once: true });
    });
  }

  close(): void {
    this.#socket.destroy();
  }

  #take(message: Record<string, unknown>): void {
    if (message['event']) this.#keep(message['event'] as TranscriptRecord);
    const waiting = this.#asked.get(message['ack'] as number);
    if (!waiting) return;
    this.#asked.delete(message['ack'] as number);
    if (message['ok']) waiting.resolve(message['result']);
    else waiting.reject(invalid(String(message['error']), { hint: String(message['hint'] ?? '') }));
  }

  #keep(event: TranscriptRecord): void {
    const last = this.#seen.at(-1)?.seq ?? 0;
    if (event.seq > last) this.#seen.push(event);
    else if (!this.#seen.some((known) => known.seq === event.seq)) {
      this.#seen.push(event);
      this.#seen.sort((a, b) => a.seq - b.seq);
    } else return;
    if (this.#seen.length > 2 * KEPT) this.#seen.splice(0, KEPT);
    for (const waiting of this.#waiting) {
      if (!waiting.wanted(event)) continue;
      this.#waiting.delete(waiting);
      waiting.resolve(event);
    }
  }

  #end(): void {
    const gone = unavailable('the agent has gone');
    this.#closed.abort(gone);
    for (const { reject } of [...this.#asked.values(), ...this.#waiting]) reject(gone);
    this.#asked.clear();
    this.#waiting.clear();
  }
}

function tryConnect(socketPath: string): Promise<net.Socket | undefined> {
  return new Promise((resolve) => {
    const socket = net.connect(socketPath);
    socket.once('connect', () => resolve(socket));
    socket.once('error', () => resolve(undefined));
  });
}

/** All complete records, oldest first. A line torn by kill -9 is left out; any other bad line is an error. */
export function readTranscript(file: string): TranscriptRecord[] {
  const lines = fs.readFileSync(file, 'utf8').split('\n');
  return lines.flatMap((line, index) => {
    if (line === '') return [];
    try {
      return [JSON.parse(line) as TranscriptRecord];
    } catch {
      const torn = index === lines.length - 1 || isStart(lines[index + 1]);
      if (torn) return [];
      throw invalid(`${file}: line ${index + 1} is not a record`);
    }
  });
}

/** A torn line can only be the last line of one run of the agent. */
function isStart(line: string | undefined): boolean {
  try {
    return line === '' || (JSON.parse(line ?? '') as TranscriptRecord).type === 'started';
  } catch {
    return false;
  }
}

/** The prompts that the agent of this session really received, in order. */
export function promptsOf(sessionRoot: string): string[] {
  return readTranscript(path.join(sessionRoot, 'transcript.jsonl'))
    .filter((record) => record.type === 'submitted')
    .map((record) => String(record['text']));
}
