import type { Clock, ProcessIdentity } from '../../base/index.ts';
import type { TurnResult } from '../../domain/index.ts';
import type { ToolSignal } from '../../screen/index.ts';

/** A prompt that the tool reports it has received. */
export interface ReceivedPrompt {
  source: string;
  atUtc: string;
  facts: Record<string, unknown>;
}

/** How a turn ended, as the tool reports it. */
export interface TurnEnd {
  source: string;
  atUtc: string;
  result: TurnResult;
}

/** What a tool reports about a usage limit. */
export interface LimitReport {
  source: string;
  /** The message with which a limit ended the last turn; null if none did, or it is not reported. */
  endedTurn: string | null;
  /** When the limits end that are used up, in wall milliseconds; null if it is not reported. */
  untilMs: number | null;
  /** The last turn ended well: a notice of an earlier one may still be on the screen. */
  endedWell?: true;
}

/** One of a tool's own signals, kept current by events. A missing source has no signals. */
export interface SignalReader {
  /** The current signals. */
  read(): ToolSignal[];
  /** Returns evidence if the tool reported exactly this prompt after that wall time. */
  received?(text: string, sinceMs: number): ReceivedPrompt | undefined;
  /** How the turn of exactly this prompt ended, if it is the last one that the tool received after that wall time. */
  turnEnd?(text: string, sinceMs: number): TurnEnd | undefined;
  /** The answer of a turn that ended after that wall time; undefined if the tool does not report it. */
  answerSince?(sinceMs: number): string | undefined;
  /** The usage limit that the tool is in; undefined if it reports none. */
  limit?(): LimitReport | undefined;
  /** The id of the current conversation, for the tool's own resume; null if it is empty; undefined if it is not reported. */
  conversation?(): string | null | undefined;
  /** Called when the tool's process is seen or has gone. */
  follow?(tool: ProcessIdentity | undefined): void;
  close(): void;
}

/** Called when a source has something new. */
export type OnSignal = () => void;

/** The session of the tool. */
export interface SignalPlace {
  sessionRoot: string;
  /** A fact that the launch stored in the manifest: `metadata` of its additions. */
  fact: (name: string) => string | undefined;
  /** The tool's home as the manifest records it. */
  home: string | undefined;
  clock: Clock;
  changed: OnSignal;
}
