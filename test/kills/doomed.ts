import { type ChildProcess, spawn } from 'node:child_process';
import * as fs from 'node:fs';
import { AT_ANY_TIME, type Doom, type Kill } from './stages.ts';

export interface Life {
  /** The words of the program. */
  command: string[];
  env: NodeJS.ProcessEnv;
  /** Where its standard error goes. */
  errors: string;
  isReady: () => Promise<boolean>;
}

/** How a process ended that was not killed. */
export interface OwnEnd {
  victim: string;
  wasReady: boolean;
  code: number | null;
  signal: NodeJS.Signals | null;
  said: string;
}

/** A process that takes longer hangs. */
const LONGEST_START_MS = 60_000;
const LONGEST_END_MS = 20_000;

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** A process that is started and killed again and again. */
export class Doomed {
  readonly name: string;
  #life: Life;
  #child: ChildProcess | undefined;
  #ended: Promise<void> = Promise.resolve();

  constructor(name: string, life: Life) {
    this.name = name;
    this.#life = life;
  }

  get isAlive(): boolean {
    return this.#child !== undefined && this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** One life and its end. */
  async liveAndDie(doom: Doom): Promise<Omit<Kill, 'full'> | OwnEnd> {
    const began = performance.now();
    this.#start(doom.point);
    let ours = false;
    const kill = (): void => {
      ours = this.#child!.kill('SIGKILL');
    };
    const { after, withinMs } = doom;
    let timer = setTimeout(kill, after === 'start' ? withinMs : LONGEST_START_MS);
    const wasReady = await this.#ready();
    if (wasReady && after === 'ready') {
      clearTimeout(timer);
      timer = setTimeout(kill, withinMs);
    }
    await this.#ended;
    clearTimeout(timer);
    const { exitCode: code, signalCode: signal } = this.#child!;
    const victim = this.name;
    if (signal !== 'SIGKILL') return { victim, wasReady, code, signal, said: this.#said() };
    const stage = ours ? AT_ANY_TIME : doom.stage;
    const point = ours ? (wasReady ? 'running' : 'starting') : doom.point!;
    return { victim, stage, point, ms: Math.round(performance.now() - began) };
  }

  /** Starts it without killing it. */
  async stay(): Promise<void> {
    for (;;) {
      this.#start(undefined);
      if (await this.#ready()) return;
      await this.#ended;
      await pause(200);
    }
  }

  async end(): Promise<void> {
    this.#child?.kill('SIGTERM');
    const late = setTimeout(() => this.#child?.kill('SIGKILL'), LONGEST_END_MS);
    await this.#ended;
    clearTimeout(late);
  }

  #start(point: string | undefined): void {
    const [program = '', ...args] = this.#life.command;
    const errors = fs.openSync(this.#life.errors, 'a');
    const child = spawn(program, args, {
      env: { ...this.#life.env, ...(point && { ROUSE_CRASH_AT: point }) },
      stdio: ['ignore', 'ignore', errors],
    });
    fs.closeSync(errors);
    this.#child = child;
    this.#ended = new Promise((resolve) => child.once('exit', () => resolve()));
  }

  /** Returns false if it ended before. */
  async #ready(): Promise<boolean> {
    while (this.isAlive) {
      if (await this.#life.isReady().catch(() => false)) return this.isAlive;
      await pause(80);
    }
    return false;
  }

  #said(): string {
    return fs.readFileSync(this.#life.errors, 'utf8').trim().split('\n').slice(-40).join('\n');
  }
}
