import type { Clock, ProcessIdentity } from '../../base/index.ts';
import type { ToolSignal } from '../../screen/index.ts';

/** A prompt the tool itself says it has received. */
export interface ReceivedPrompt {
  source: string;
  atUtc: string;
  facts: Record<string, unknown>;
}

/** How a turn ended, as the tool itself says. */
export interface TurnEnd {
  source: string;
  atUtc: string;
  result: 'success' | 'interrupted' | 'known_failure';
}

/** One of a tool's own signals, kept current by events. A source that is not there says nothing. */
export interface SignalReader {
  /** What the tool says now. */
  read(): ToolSignal[];
  /** Whether the tool reported this very prompt after that wall time. */
  received?(text: string, sinceMs: number): ReceivedPrompt | undefined;
  /** How the turn of this very prompt ended, when it was the last one the tool received, after that wall time. */
  turnEnd?(text: string, sinceMs: number): TurnEnd | undefined;
  /** What the tool says it answered in a turn that ended after that wall time; undefined when it does not say. */
  answerSince?(sinceMs: number): string | undefined;
  /** The id of the conversation it shows, as its own resume takes it; null for one that is still empty; undefined: it does not say. */
  conversation?(): string | null | undefined;
  /** The tool's process has been seen, or has gone. */
  follow?(tool: ProcessIdentity | undefined): void;
  close(): void;
}

/** Called whenever a source has something new. */
export type OnSignal = () => void;

/** The session whose tool is listened to. */
export interface SignalPlace {
  sessionRoot: string;
  /** What the launch noted in the manifest: `metadata` of its additions. */
  fact: (name: string) => string | undefined;
  /** The tool's home as the manifest records it. */
  home: string | undefined;
  clock: Clock;
  changed: OnSignal;
}
