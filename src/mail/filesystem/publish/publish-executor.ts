import * as fs from 'node:fs';
import { Worker } from 'node:worker_threads';
import { type Clock, crashPoint } from '../../../base/index.ts';
import { type PublishTask, runPublishTasks } from './publish-tasks.ts';

/** So many tasks without a rest between them are a burst, worth a thread of its own. */
const BURST = 16;
const REST_AFTER_MS = 1000;

interface Answer {
  id: number;
  errors: (string | null)[];
}

/**
 * Creating files and links costs as much as a commit does. A few are done at once, here; a burst is done by a
 * thread beside the event loop, so that senders and readers do not wait for it.
 */
export class PublishExecutor {
  #root: string;
  #worker: Worker | undefined;
  #workerFailed = false;
  #clock: Clock;
  #nextId = 0;
  #sinceRest = 0;
  #cancelRest: (() => void) | undefined;
  #waiting = new Map<number, { resolve: (errors: (string | null)[]) => void; tasks: PublishTask[] }>();

  constructor(root: string, clock: Clock) {
    this.#root = root;
    this.#clock = clock;
  }

  get inBurst(): boolean {
    return this.#sinceRest >= BURST;
  }

  async run(tasks: PublishTask[]): Promise<(string | null)[]> {
    this.#sinceRest += tasks.length;
    this.#cancelRest?.();
    this.#cancelRest = this.#clock.after(REST_AFTER_MS, () => void this.rest());
    if (!this.inBurst || this.#workerFailed)
      return runPublishTasks(fs, { root: this.#root, tasks }, crashPoint);
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
    worker.on('message', ({ id, errors }: Answer) => {
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
  parentPort.postMessage({ id, errors: run(fs, work, () => {}) });
});
`;
