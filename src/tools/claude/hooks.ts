import * as fs from 'node:fs';
import * as path from 'node:path';
import { type Clock, type ProcessIdentity, startedAtMs } from '../../base/index.ts';
import type { ToolSignal } from '../../screen/index.ts';
import { samePrompt } from '../signals/same-prompt.ts';
import type {
  LimitReport,
  OnSignal,
  ReceivedPrompt,
  SignalReader,
  TurnEnd,
} from '../signals/signal-reader.ts';
import { readObject, watchDirectory } from '../signals/watched-file.ts';
import { resetIn } from './transcript-reset.ts';

interface Report {
  event: string;
  atMs: number;
  payload: Record<string, unknown>;
}

const SAYS: Record<string, ToolSignal['state']> = {
  SessionStart: 'idle',
  UserPromptSubmit: 'busy',
  // Granted or denied, the turn continues; the screen shows the dialog.
  PermissionRequest: 'busy',
  Stop: 'idle',
  StopFailure: 'failed',
  SessionEnd: 'ended',
};

const ENDS: Record<string, TurnEnd['result']> = { Stop: 'success', StopFailure: 'known_failure' };

/** Other failures carry the words of the model. Early versions name no error. */
const isAboutLimits = (error: unknown): boolean =>
  error === undefined || error === 'rate_limit' || error === 'billing_error';

const KEPT = 200;
const NAME = /^(\d{16,20})-\d+\.json$/;

/** The events that Claude Code's hooks reported for this session: one file each, in the order of their names. */
export class ClaudeHooks implements SignalReader {
  readonly #directory: string;
  readonly #clock: Clock;
  readonly #changed: OnSignal;
  readonly #unwatch: (() => void) | undefined;
  #reports: Report[] = [];
  #last = '';
  /** The end of the limit that the report of this time is about. */
  #reset: { atMs: number; untilMs: number | null } | undefined;
  /** When the tool's process began; earlier reports are about another process. A tool started by hand has none of our hooks. */
  #sinceMs = 0;

  constructor(directory: string, clock: Clock, changed: OnSignal) {
    this.#directory = directory;
    this.#clock = clock;
    this.#changed = changed;
    this.#unwatch = watchDirectory(directory, (name) => {
      if (name === null || NAME.test(name)) this.#gather();
    });
    this.#gather();
  }

  follow(tool: ProcessIdentity | undefined): void {
    try {
      if (tool) this.#sinceMs = startedAtMs(tool) ?? 0;
    } catch {
      // Its start time is unknown, so reports since the start of the previous process count.
    }
  }

  read(): ToolSignal[] {
    const newest = this.#reports.findLast(({ event }) => SAYS[event] !== undefined);
    if (!newest || newest.atMs < this.#sinceMs) return [];
    const ageMs = Math.max(0, this.#clock.now().getTime() - newest.atMs);
    // No Stop hook fires when a turn is interrupted, so `busy` may never end.
    return [
      { source: 'claude_hooks', state: SAYS[newest.event]!, ageMs, isEvent: true, detail: newest.event },
    ];
  }

  received(text: string, sinceMs: number): ReceivedPrompt | undefined {
    const report = this.#reports.findLast(
      ({ event, atMs, payload }) =>
        event === 'UserPromptSubmit' && atMs >= sinceMs && samePrompt(String(payload['prompt'] ?? ''), text),
    );
    if (!report) return undefined;
    const facts = { event: report.event, session_id: report.payload['session_id'] };
    return { source: 'hook', atUtc: new Date(report.atMs).toISOString(), facts };
  }

  turnEnd(text: string, sinceMs: number): TurnEnd | undefined {
    const at = this.#reports.findLastIndex(({ event }) => event === 'UserPromptSubmit');
    const prompt = this.#reports[at];
    if (!prompt || prompt.atMs < sinceMs || !samePrompt(String(prompt.payload['prompt'] ?? ''), text))
      return undefined;
    const last = this.#reports.slice(at + 1).findLast(({ event }) => SAYS[event] !== undefined);
    const result = last && ENDS[last.event];
    return result && { source: 'hook', atUtc: new Date(last.atMs).toISOString(), result };
  }

  /** `StopFailure` reports an error of the provider that ended the turn. */
  limit(): LimitReport | undefined {
    const last = this.#reports.findLast(({ event }) => SAYS[event] !== undefined);
    if (!last || last.atMs < this.#sinceMs) return undefined;
    const source = 'claude_hooks';
    if (last.event === 'Stop') return { source, endedTurn: null, untilMs: null, endedWell: true };
    if (last.event !== 'StopFailure' || !isAboutLimits(last.payload['error'])) return undefined;
    const said = [last.payload['last_assistant_message'], last.payload['error_details']]
      .filter((text) => typeof text === 'string')
      .join('\n');
    return { source, endedTurn: said || null, untilMs: this.#resetOf(last) };
  }

  /** The transcript has the end to the second; the message states the minute. It is written about when the hook runs. */
  #resetOf({ atMs, payload }: Report): number | null {
    if (payload['error'] !== 'rate_limit' || typeof payload['transcript_path'] !== 'string') return null;
    if (this.#reset?.atMs !== atMs) this.#reset = { atMs, untilMs: null };
    this.#reset.untilMs ??= resetIn(payload['transcript_path'], atMs);
    return this.#reset.untilMs;
  }

  answerSince(sinceMs: number): string | undefined {
    const report = this.#reports.findLast(({ event, atMs }) => event === 'Stop' && atMs >= sinceMs);
    const answer = report?.payload['last_assistant_message'];
    return typeof answer === 'string' && answer !== '' ? answer : undefined;
  }

  /** The tool does not store a conversation without a prompt, so it cannot be resumed, unless it was resumed before. */
  conversation(): string | null | undefined {
    const id = this.#reports.findLast(({ payload }) => payload['session_id'] !== undefined)?.payload[
      'session_id'
    ];
    const begun = this.#reports.some(
      ({ event, payload }) =>
        payload['session_id'] === id &&
        (event === 'UserPromptSubmit' || (event === 'SessionStart' && payload['source'] === 'resume')),
    );
    if (typeof id !== 'string') return undefined;
    return begun ? id : null;
  }

  close(): void {
    this.#unwatch?.();
  }

  #gather(): void {
    const fresh = this.#names().filter((name) => name > this.#last);
    const reports = fresh.flatMap((name) => this.#readReport(name));
    if (fresh.length > 0) this.#last = fresh.at(-1)!;
    if (reports.length === 0) return;
    this.#reports = [...this.#reports, ...reports].slice(-KEPT);
    this.#changed();
  }

  #names(): string[] {
    try {
      return fs
        .readdirSync(this.#directory)
        .filter((name) => NAME.test(name))
        .sort();
    } catch {
      return [];
    }
  }

  #readReport(name: string): Report[] {
    const content = readObject(path.join(this.#directory, name));
    const payload = content?.['payload'];
    if (typeof content?.['event'] !== 'string') return [];
    return [
      {
        event: content['event'],
        atMs: Number(BigInt(NAME.exec(name)![1]!) / 1_000_000n),
        payload: payload !== null && typeof payload === 'object' ? (payload as Record<string, unknown>) : {},
      },
    ];
  }
}
