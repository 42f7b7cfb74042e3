import * as fs from 'node:fs';
import { Worker } from 'node:worker_threads';
import { type Clock, crashPoint } from '../../../base/index.ts';
import { type PublishTask, runPublishTasks } from './publish-tasks.ts';

/** So many tasks without a rest between them are a burst, of which more may be gathered at a time. */
const BURST = 16;
const REST_AFTER_MS = 1000;
/** What keeps the event loop longer is for a thread. */
const LONGEST_HERE_MS = 3;
/** Of one task, until one was timed. */
const USUAL_MS = 0.15;

interface Answer {
  id: number;
  errors: (string | null)[];
  ms: number;
}

/**
 * Creating files and links costs as much as a commit does. What is short is done at once, here; what would keep senders
 * and readers waiting is done by a thread beside the event loop. How long tasks take is known from those before them: where
 * many files were deleted shortly before, a file system may take twenty times as long. A thread is never started for a few at a
 * time: it would double what they cost, in each of however many processes that share the processors.
 */
export class PublishExecutor {
  #root: string;
  #worker: Worker | undefined;
  #workerFailed = false;
  #clock: Clock;
  #nextId = 0;
  #sinceRest = 0;
  #msPerTask = USUAL_MS;
  #cancelRest: (() => void) | undefined;
  #waiting = new Map<number, { resolve: (errors: (string | null)[]) => void; tasks: PublishTask[] }>();

  constructor(root: string, clock: Clock) {
    this.#root = root;
    this.#clock = clock;
  }

  get inBurst(): boolean {
    return this.#sinceRest >= BURST;
  }

  get hasThread(): boolean {
    return this.#worker !== undefined;
  }

  async run(tasks: PublishTask[]): Promise<(string | null)[]> {
    this.#sinceRest += tasks.length;
    this.#cancelRest?.();
    this.#cancelRest = this.#clock.after(REST_AFTER_MS, () => void this.rest());
    if (tasks.length * this.#msPerTask <= LONGEST_HERE_MS || this.#workerFailed) return this.#runHere(tasks);
    const worker = this.#start();
    const id = this.#nextId++;
    return new Promise((resolve) => {
      this.#waiting.set(id, { resolve, tasks });
      // Alive while it has something to do; an idle thread keeps no process up.
      worker.ref();
      // One text is handed over much faster than many small objects.
      worker.postMessage(JSON.stringify({ id, root: this.#root, tasks }));
    });
  }

  #runHere(tasks: PublishTask[]): (string | null)[] {
    const begun = this.#clock.monotonic();
    const errors = runPublishTasks(fs, { root: this.#root, tasks }, crashPoint);
    this.#timed(tasks.length, this.#clock.monotonic() - begun);
    return errors;
  }

  /** Half of the last, half of what was known: one that was held up does not count for long. */
  #timed(tasks: number, ms: number): void {
    if (tasks > 0) this.#msPerTask = (this.#msPerTask + ms / tasks) / 2;
  }

  /** Ends the thread, unless it is at work; the next burst starts another. */
  async rest(): Promise<void> {
    this.#cancelRest?.();
    this.#cancelRest = undefined;
    this.#sinceRest = 0;
    const worker = this.#worker;
    if (worker === undefined || this.#waiting.size > 0) return;
    this.#worker = undefined;
    worker.removeAllListeners('exit');
    await worker.terminate();
  }

  #start(): Worker {
    if (this.#worker) return this.#worker;
    const worker = new Worker(WORKER_SOURCE, { eval: true, stdin: false });
    worker.on('message', ({ id, errors, ms }: Answer) => {
      this.#timed(errors.length, ms);
      this.#waiting.get(id)?.resolve(errors);
      this.#waiting.delete(id);
      if (this.#waiting.size === 0) worker.unref();
    });
    worker.on('error', () => this.#giveUp());
    worker.on('exit', () => this.#giveUp());
    this.#worker = worker;
    return worker;
  }

  /** The thread cannot be had: whatever it was given is done here. Doing a task twice does no harm. */
  #giveUp(): void {
    this.#worker = undefined;
    this.#workerFailed = true;
    for (const { resolve, tasks } of this.#waiting.values()) {
      resolve(runPublishTasks(fs, { root: this.#root, tasks }, crashPoint));
    }
    this.#waiting.clear();
  }
}

const WORKER_SOURCE = `
const fs = require('node:fs');
const { parentPort } = require('node:worker_threads');
const run = ${runPublishTasks.toString()};
parentPort.on('message', (text) => {
  const { id, ...work } = JSON.parse(text);
  const begun = performance.now();
  const errors = run(fs, work, () => {});
  parentPort.postMessage({ id, errors, ms: performance.now() - begun });
});
`;
