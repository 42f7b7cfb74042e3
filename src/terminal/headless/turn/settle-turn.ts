import * as fs from 'node:fs';
import * as os from 'node:os';
import { crashPoint, type Log, messageOf, readIfExists, writeFileAtomic } from '../../../base/index.ts';
import type { DeliveryOutcome } from '../../port.ts';
import type { EventStream } from '../events/event-stream.ts';
import type { HeadlessProgress } from '../headless-manifest.ts';
import type { Exit } from '../runner/start-runner.ts';
import type { VisibleLog } from '../runner/visible-log.ts';
import { resumesById, type TurnTool } from './build-turn.ts';
import {
  type CurrentTurn,
  pruneTurns,
  readExitCode,
  settleCurrentTurn,
  type TurnFiles,
} from './turn-files.ts';

export interface TurnLimits {
  /** Null: no limit. */
  timeoutMs: number | null;
  graceMs: number;
  /** Standard output and standard error together. */
  outputBytes: number;
}

/** Why Rouse ended a turn. */
const STOP_CAUSES = ['interrupted', 'timeout', 'output_limit', 'session_lost'] as const;

export type StopCause = (typeof STOP_CAUSES)[number];

export interface TurnEnd {
  /** Null when it is unknown: the runner was killed while no gateway was running. */
  exitCode: number | null;
  stopped: StopCause | null;
  /** False when it is certain that the tool was never run. */
  toolRan: boolean;
  sessionId: string | null;
  /** The tool reported that it finished. */
  completed: boolean;
  /** The model replied or acted, so the chat is worth continuing. */
  sawWork: boolean;
  counts: EventStream['counts'];
  unreadLines: number;
  answer: string;
  remark: string;
  stderrTail: string;
  durationMs: number;
}

const STDERR_TAIL = 2000;

interface EndFacts {
  files: TurnFiles;
  exit: Exit;
  stopped: StopCause | undefined;
  toolRan: boolean;
  stream: EventStream;
  durationMs: number;
}

/** The facts of an ended turn. Writes the exit code if the runner could not. */
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

/** Two processes may watch a turn; the one that ends it writes the cause for the other. */
export function writeStopCause(files: TurnFiles, cause: StopCause): void {
  fs.writeFileSync(files.stopped, `${cause}\n`, { mode: 0o600 });
}

function readStopCause(files: TurnFiles): StopCause | undefined {
  const text = readIfExists(files.stopped)?.trim();
  return STOP_CAUSES.find((cause) => cause === text);
}

/** The end of standard error, safe to show to a person. */
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

export interface Judged {
  outcome: DeliveryOutcome;
  reasons: string[];
}

interface JudgeFacts {
  tool: string;
  /** The tool can continue a chat by id, so it must report the id. */
  needsSessionId: boolean;
  timeoutMs: number | null;
}

/** The outcome of a turn for its caller. A turn that finished while it was being stopped counts as finished. */
function judgeTurn(end: TurnEnd, { tool, needsSessionId, timeoutMs }: JudgeFacts): Judged {
  if (!end.toolRan) return failed(`${tool} could not be started`, end);
  if (end.stopped !== null && !(end.exitCode === 0 && end.completed)) {
    switch (end.stopped) {
      case 'interrupted':
        return { outcome: 'cancelled', reasons: ['the turn was interrupted'] };
      case 'timeout':
        return failed(`the turn took longer than ${(timeoutMs ?? 0) / 1000} s and was ended`, end);
      case 'output_limit':
        return failed('the turn printed more than is kept and was ended', end);
      case 'session_lost':
        return failed('the agent’s tmux session ended, and the turn with it', end);
    }
  }
  if (end.exitCode === null)
    return {
      outcome: 'unconfirmed',
      reasons: ['the turn ended while no gateway was watching; its exit code is unknown'],
    };
  if (end.exitCode !== 0) return failed(`${tool} ended with code ${end.exitCode}`, end);
  if (needsSessionId && end.sessionId === null) {
    const unread = end.unreadLines > 0 ? ` (${end.unreadLines} lines were too long to read)` : '';
    return failed(`${tool} ended well but reported no session id${unread}`, end);
  }
  return { outcome: 'submitted', reasons: [] };
}

function failed(reason: string, { stderrTail, remark }: TurnEnd): Judged {
  const reasons = [stderrTail === '' ? reason : `${reason}: ${stderrTail}`];
  if (remark !== '') reasons.push(`its message: ${remark.replace(/[\u0000-\u001f\u007f-\u009f]+/g, ' ')}`);
  return { outcome: 'failed', reasons };
}

/**
 * The progress to store after a turn. The chat is pinned only if the turn succeeded or did work: pinning a chat that the
 * tool did not store would make every later turn fail.
 */
export function progressAfter(
  before: HeadlessProgress,
  end: TurnEnd,
  turn: { index: number; carriesRole: boolean },
): HeadlessProgress {
  const real = end.sessionId !== null && (end.exitCode === 0 || end.sawWork);
  if (!real) return before;
  return {
    sessionId: end.sessionId,
    turnIndex: Math.max(before.turnIndex, turn.index),
    roleBootstrapApplied: before.roleBootstrapApplied || turn.carriesRole,
  };
}

interface EndedTurn {
  current: CurrentTurn;
  end: TurnEnd;
  /** The progress to store; null when nothing changed. */
  progress: HeadlessProgress | null;
}

interface SettleHost {
  root: string;
  tool: TurnTool;
  limits: TurnLimits;
  keepTurns: number;
  save: (progress: HeadlessProgress) => Promise<void>;
  visible: VisibleLog;
  log: Log;
}

/** Stores the result in the manifest, then in current.json. A crash in between repeats it. */
export async function settleTurn({ current, end, progress }: EndedTurn, host: SettleHost): Promise<Judged> {
  const { root, tool, limits, keepTurns, save, visible, log } = host;
  const judged = judgeTurn(end, {
    tool: tool.habits.tool,
    needsSessionId: resumesById(tool.shape),
    timeoutMs: limits.timeoutMs,
  });
  visible.write(current.turn_id, `ended with code ${end.exitCode ?? 'unknown'}`, judged.reasons.join(' '));
  crashPoint('headless.ended');
  try {
    if (progress) await save(progress);
    crashPoint('headless.saved');
    settleCurrentTurn(root, current);
    pruneTurns(root, keepTurns, current.turn_id);
  } catch (error) {
    log.error('the turn’s result was not saved', { turn: current.turn_id, cause: messageOf(error) });
  }
  return judged;
}
