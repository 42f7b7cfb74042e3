import { type Clock, identifyProcess, isProcessAlive, type ProcessIdentity } from '../../base/index.ts';
import type { ToolSignal } from '../../screen/index.ts';
import type { OnSignal, SignalReader } from './signal-reader.ts';
import { readObject, watchFile } from './watched-file.ts';

const SEEK_MS = 500;
const STATES = { idle: 'idle', busy: 'busy', waiting: 'waiting' } as const;

export interface StatusFileOptions {
  source: string;
  clock: Clock;
  changed: OnSignal;
  /** Where the file of this process is; undefined if that is not known yet. */
  place: (tool: ProcessIdentity | undefined) => string | undefined;
  /** When the status was written: ISO text or epoch milliseconds. */
  stamp: (content: Record<string, unknown>) => unknown;
  /** The id of the conversation, if the file has it. */
  conversation?: (content: Record<string, unknown>) => unknown;
}

/** A file in which the tool keeps its state: idle, busy, or waiting for a person. It may outlive its writer. */
export class StatusFile implements SignalReader {
  readonly #options: StatusFileOptions;
  /** The process whose file is still to be found. */
  #unplaced: { tool: ProcessIdentity | undefined } | undefined;
  #file: string | undefined;
  #unwatch: (() => void) | undefined;
  #soughtAt = Number.NEGATIVE_INFINITY;
  #content: Record<string, unknown> | undefined;
  #writer: ProcessIdentity | undefined;

  constructor(options: StatusFileOptions) {
    this.#options = options;
    this.follow(undefined);
  }

  follow(tool: ProcessIdentity | undefined): void {
    this.#unplaced = { tool };
    this.#soughtAt = Number.NEGATIVE_INFINITY;
    this.#seek();
  }

  /** Finds the file; if the process cannot be read now, tries again later. */
  #place({ tool }: { tool: ProcessIdentity | undefined }): void {
    let file: string | undefined;
    try {
      file = this.#options.place(tool);
      this.#unplaced = undefined;
    } catch {
      file = undefined;
    }
    if (file === this.#file) return;
    this.close();
    this.#file = file;
    this.#content = undefined;
  }

  read(): ToolSignal[] {
    const { source, clock, stamp } = this.#options;
    this.#seek();
    const content = this.#content;
    const state = STATES[content?.['status'] as keyof typeof STATES];
    if (!content || !state) return [];
    const at = timeOf(stamp(content));
    const waitingFor = content['waitingFor'] ?? content['waiting_for'];
    return [
      {
        source,
        state,
        ageMs: at === undefined ? 0 : Math.max(0, clock.now().getTime() - at),
        writerAlive: this.#writer !== undefined && isProcessAlive(this.#writer),
        ...(typeof waitingFor === 'string' ? { detail: waitingFor } : {}),
      },
    ];
  }

  conversation(): string | undefined {
    const id = this.#content && this.#options.conversation?.(this.#content);
    return typeof id === 'string' ? id : undefined;
  }

  close(): void {
    this.#unwatch?.();
    this.#unwatch = undefined;
  }

  /** The tool may create the directory only after its start. */
  #seek(): void {
    const now = this.#options.clock.monotonic();
    if ((this.#unwatch && !this.#unplaced) || now - this.#soughtAt < SEEK_MS) return;
    this.#soughtAt = now;
    if (this.#unplaced) this.#place(this.#unplaced);
    if (this.#file === undefined || this.#unwatch) return;
    this.#unwatch = watchFile(this.#file, () => this.#reload(true));
    if (this.#unwatch) this.#reload(false);
  }

  #reload(notify: boolean): void {
    const content = this.#file === undefined ? undefined : readObject(this.#file);
    // A rename is reported in several events; an incomplete file is read again at the next one.
    if (content === undefined && this.#content === undefined) return;
    this.#content = content;
    const pid = Number(content?.['pid']);
    if (this.#writer?.pid !== pid || this.#writer.startTicks === null)
      this.#writer = Number.isInteger(pid) ? identifyWriter(pid) : undefined;
    if (notify) this.#options.changed();
  }
}

/** If it cannot be read, it counts as alive while its pid exists. */
function identifyWriter(pid: number): ProcessIdentity | undefined {
  try {
    return identifyProcess(pid);
  } catch {
    return { pid, startTicks: null, bootId: null };
  }
}

function timeOf(value: unknown): number | undefined {
  const time = typeof value === 'number' ? value : typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return Number.isNaN(time) ? undefined : time;
}
