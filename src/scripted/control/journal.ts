import { type Clock, Emitter, utcStamp } from '../../base/index.ts';
import type { Transcript, TranscriptRecord } from '../tui/transcript.ts';

/** How many events are kept for a control client that connects later. */
const KEPT = 1000;

/** Fields too large for the control channel; the transcript has them. */
const LARGE = ['text'];

/** Everything that happens, in one order: written to the transcript, then sent to listeners. */
export class Journal {
  readonly events = new Emitter<TranscriptRecord>();
  #transcript: Transcript | undefined;
  #clock: Clock;
  #seq = 0;
  #recent: TranscriptRecord[] = [];

  constructor(transcript: Transcript | undefined, clock: Clock) {
    this.#transcript = transcript;
    this.#clock = clock;
  }

  get seq(): number {
    return this.#seq;
  }

  /** Written to the transcript before this returns. */
  record(type: string, facts: Record<string, unknown> = {}): void {
    const record = { seq: ++this.#seq, at: utcStamp(this.#clock.now()), type, ...facts };
    this.#transcript?.append(record);
    const light = { ...record } as TranscriptRecord;
    for (const field of LARGE) delete light[field];
    this.#recent.push(light);
    if (this.#recent.length > KEPT) this.#recent.shift();
    this.events.emit(light);
  }

  /** Sent to present listeners and not kept: for events about the screen, not about the work. */
  announce(type: string, facts: Record<string, unknown> = {}): void {
    this.events.emit({ seq: ++this.#seq, at: utcStamp(this.#clock.now()), type, ...facts });
  }

  since(seq: number): TranscriptRecord[] {
    return this.#recent.filter((event) => event.seq > seq);
  }

  /** The program has ended; nothing more is recorded. */
  close(): void {
    this.#transcript?.close();
    this.#transcript = undefined;
  }
}
