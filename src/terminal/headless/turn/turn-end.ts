import * as fs from 'node:fs';
import * as os from 'node:os';
import { readIfExists, writeFileAtomic } from '../../../base/index.ts';
import type { EventStream } from '../events/event-stream.ts';
import type { Exit } from '../runner/start-runner.ts';
import { readExitCode, type TurnFiles } from './turn-files.ts';

/** Why a turn was ended by us. */
const STOP_CAUSES = ['interrupted', 'timeout', 'output_limit', 'session_lost'] as const;

export type StopCause = (typeof STOP_CAUSES)[number];

export interface TurnEnd {
  /** Null when nobody saw it: the runner was killed while no gateway lived. */
  exitCode: number | null;
  stopped: StopCause | null;
  /** False when it is certain that the tool was never run. */
  toolRan: boolean;
  sessionId: string | null;
  /** The tool said itself that it had finished. */
  completed: boolean;
  /** The model answered or acted, so the chat is worth going on with. */
  sawWork: boolean;
  counts: EventStream['counts'];
  unreadLines: number;
  answer: string;
  remark: string;
  stderrTail: string;
  durationMs: number;
}

const STDERR_TAIL = 2000;

export interface EndFacts {
  files: TurnFiles;
  exit: Exit;
  stopped: StopCause | undefined;
  toolRan: boolean;
  stream: EventStream;
  durationMs: number;
}

/** What is left to say of a turn. An end the runner could not write down is written here. */
export function endTurn({ files, exit, stopped, toolRan, stream, durationMs }: EndFacts): TurnEnd {
  const bySignal = exit.signal === null ? null : 128 + (os.constants.signals[exit.signal] ?? 0);
  const exitCode = readExitCode(files) ?? exit.code ?? bySignal;
  if (toolRan && exitCode !== null && readExitCode(files) === undefined)
    writeFileAtomic(files.exitcode, `${exitCode}\n`, { durable: false });
  return {
    exitCode,
    stopped: stopped ?? readStopCause(files) ?? null,
    toolRan,
    sessionId: stream.sessionId,
    completed: stream.counts.completion > 0,
    sawWork: stream.sawWork,
    counts: stream.counts,
    unreadLines: stream.unread,
    answer: stream.answer,
    remark: stream.remark,
    stderrTail: tailOf(files.stderr),
    durationMs,
  };
}

/** A turn may be attended by two processes; the one that ends it leaves word for the other. */
export function writeStopCause(files: TurnFiles, cause: StopCause): void {
  fs.writeFileSync(files.stopped, `${cause}\n`, { mode: 0o600 });
}

function readStopCause(files: TurnFiles): StopCause | undefined {
  const text = readIfExists(files.stopped)?.trim();
  return STOP_CAUSES.find((cause) => cause === text);
}

/** The end of what the tool complained about, on lines a person can be shown. */
function tailOf(file: string): string {
  let fd: number;
  try {
    fd = fs.openSync(file, 'r');
  } catch {
    return '';
  }
  try {
    const { size } = fs.fstatSync(fd);
    const buffer = Buffer.alloc(Math.min(size, STDERR_TAIL));
    const read = fs.readSync(fd, buffer, 0, buffer.length, size - buffer.length);
    return buffer
      .toString('utf8', 0, read)
      .replace(/\u001b\[[0-9;?]*[ -/]*[@-~]/g, '')
      .replace(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]+/g, ' ')
      .trim();
  } finally {
    fs.closeSync(fd);
  }
}
