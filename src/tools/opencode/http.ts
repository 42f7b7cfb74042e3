import * as http from 'node:http';
import { type Clock, commandLineOf, type ProcessIdentity } from '../../base/index.ts';
import type { ToolSignal } from '../../screen/index.ts';
import type { OnSignal, SignalReader } from '../signals/signal-reader.ts';

const RETRY_MS = [500, 2000, 10_000];
const MAX_BYTES = 1 << 20;

/**
 * opencode's own port, if this process was started with one. Its event stream is only a reason to ask which sessions are
 * busy; the response is a level, not an event.
 */
export class OpencodeHttp implements SignalReader {
  readonly #portOf: (tool: ProcessIdentity) => number | undefined;
  readonly #clock: Clock;
  readonly #changed: OnSignal;
  #reported: { state: 'idle' | 'busy'; sinceMs: number } | undefined;
  #stream: http.ClientRequest | undefined;
  #cancelRetry: (() => void) | undefined;
  #failures = 0;
  #asking = false;
  #askAgain = false;
  #tool: ProcessIdentity | undefined;
  #port: number | undefined;

  constructor(clock: Clock, changed: OnSignal, portOf = portOfProcess) {
    this.#portOf = portOf;
    this.#clock = clock;
    this.#changed = changed;
  }

  follow(tool: ProcessIdentity | undefined): void {
    this.close();
    this.#tool = tool;
    this.#port = tool && this.#portOf(tool);
    if (this.#port !== undefined) this.#listen(this.#port);
  }

  read(): ToolSignal[] {
    if (!this.#reported || !this.#tool) return [];
    const ageMs = Math.max(0, this.#clock.now().getTime() - this.#reported.sinceMs);
    return [{ source: 'opencode_http', state: this.#reported.state, ageMs, writerAlive: true }];
  }

  close(): void {
    this.#cancelRetry?.();
    this.#cancelRetry = undefined;
    this.#stream?.destroy();
    this.#stream = undefined;
    this.#reported = undefined;
  }

  #listen(port: number): void {
    const stream = http.get({ host: '127.0.0.1', port, path: '/event' });
    this.#stream = stream;
    stream.on('response', (response) => {
      this.#failures = 0;
      response.on('data', () => void this.#ask());
      response.on('error', () => {});
      void this.#ask();
    });
    stream.on('error', () => {});
    stream.on('close', () => {
      if (stream !== this.#stream) return;
      this.#stream = undefined;
      this.#learn(undefined);
      const pause = RETRY_MS[Math.min(this.#failures++, RETRY_MS.length - 1)]!;
      this.#cancelRetry = this.#clock.after(pause, () => this.#listen(port));
    });
  }

  /** One request at a time; an event during a request causes one more. */
  async #ask(): Promise<void> {
    this.#askAgain = this.#asking;
    if (this.#asking) return;
    this.#asking = true;
    do {
      this.#askAgain = false;
      this.#learn(this.#port === undefined ? undefined : await busySessions(this.#port));
    } while (this.#askAgain);
    this.#asking = false;
  }

  #learn(busy: number | undefined): void {
    const state = busy === undefined ? undefined : busy > 0 ? 'busy' : 'idle';
    if (state === this.#reported?.state) return;
    this.#reported = state && { state, sinceMs: this.#clock.now().getTime() };
    this.#changed();
  }
}

/** The number of busy sessions; undefined if the response is not as expected. */
function busySessions(port: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    const request = http.get(
      { host: '127.0.0.1', port, path: '/session/status', timeout: 2000 },
      (response) => {
        let text = '';
        response.setEncoding('utf8');
        response.on('data', (chunk: string) => {
          text += chunk;
          if (text.length > MAX_BYTES) response.destroy();
        });
        response.on('error', () => resolve(undefined));
        response.on('close', () => resolve(response.statusCode === 200 ? countBusy(text) : undefined));
      },
    );
    request.on('timeout', () => request.destroy());
    request.on('error', () => resolve(undefined));
  });
}

function countBusy(text: string): number | undefined {
  try {
    const sessions = JSON.parse(text) as unknown;
    if (sessions === null || typeof sessions !== 'object' || Array.isArray(sessions)) return undefined;
    return Object.values(sessions).filter((each: { type?: unknown } | null) => each?.type !== 'idle').length;
  } catch {
    return undefined;
  }
}

/** Undefined if the process cannot be read. */
function portOfProcess({ pid }: ProcessIdentity): number | undefined {
  try {
    return opencodePort(commandLineOf(pid));
  } catch {
    return undefined;
  }
}

/** The port that opencode was started with, if any. */
export function opencodePort(args: readonly string[] = []): number | undefined {
  const at = args.findIndex((word) => word === '--port' || word.startsWith('--port='));
  const text = at < 0 ? undefined : args[at] === '--port' ? args[at + 1] : args[at]!.slice('--port='.length);
  const port = Number(text);
  return Number.isInteger(port) && port > 0 && port < 65_536 ? port : undefined;
}
