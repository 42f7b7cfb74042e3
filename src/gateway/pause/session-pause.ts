import * as fs from 'node:fs';
import * as path from 'node:path';
import {
  type Clock,
  crashPoint,
  Emitter,
  fsyncDirectory,
  invalid,
  type NextPass,
  readIfExists,
  untilWall,
  utcStamp,
  writeJsonAtomic,
} from '../../base/index.ts';
import { type AgentPause, pauseText } from '../../domain/index.ts';
import { HeldBack, type Hold } from '../../terminal/index.ts';
import { pauseFile, readPause } from '../../wire/index.ts';

/**
 * A person's pause of the agent. The file is the truth and is read at each check, so that it holds after any crash, and when a
 * command wrote it. Once `begin` returns, nothing automatic is being typed.
 */
export class SessionPause implements Hold {
  /** It began or ended here. */
  readonly changed = new Emitter<void>();
  readonly #file: string;
  readonly #clock: Clock;
  readonly #acts = new Set<Promise<unknown>>();

  constructor(file: string, clock: Clock) {
    this.#file = file;
    this.#clock = clock;
  }

  now(): AgentPause | undefined {
    return readPause(this.#text(), this.#clock.now().getTime());
  }

  reason(): string | undefined {
    const pause = this.now();
    return pause && pauseText(pause);
  }

  async unlessHeld<T>(act: () => Promise<T>): Promise<T | HeldBack> {
    const reason = this.reason();
    if (reason !== undefined) return new HeldBack(reason);
    const acting = act();
    this.#acts.add(acting);
    return acting.finally(() => this.#acts.delete(acting));
  }

  /** Pauses the agent, or changes when its pause ends. Resolves when nothing automatic is being typed any more. */
  async begin(until: string | null): Promise<AgentPause> {
    const now = this.#clock.now();
    if (until !== null && Date.parse(until) <= now.getTime())
      throw invalid(`until_utc is ${until}, which has passed; name a time to come`);
    const pause = { since_utc: this.now()?.since_utc ?? utcStamp(now), until_utc: until };
    writeJsonAtomic(this.#file, pauseFile(pause));
    crashPoint('pause.stored');
    this.changed.emit();
    await Promise.allSettled([...this.#acts]);
    return pause;
  }

  /** Returns the pause that ended; undefined if there was none. */
  end(): AgentPause | undefined {
    const ended = this.now();
    this.#remove();
    crashPoint('pause.removed');
    this.changed.emit();
    return ended;
  }

  /** Sleeps until the pause ends by itself, and then removes it, so that a clock set back does not bring it back. */
  pass = async (): Promise<NextPass> => {
    const pause = this.now();
    if (pause) return pause.until_utc === null ? 'idle' : untilWall(this.#clock, Date.parse(pause.until_utc));
    if (this.#text() === undefined) return 'idle';
    this.#remove();
    this.changed.emit();
    return 'idle';
  };

  /** What cannot be read keeps the agent paused. */
  #text(): string | undefined {
    try {
      return readIfExists(this.#file);
    } catch {
      return '';
    }
  }

  #remove(): void {
    fs.rmSync(this.#file, { force: true, recursive: true });
    fsyncDirectory(path.dirname(this.#file));
  }
}
