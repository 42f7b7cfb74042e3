import * as fs from 'node:fs';
import * as path from 'node:path';
import {
  bootId,
  ensurePrivateDirectory,
  errnoOf,
  explainDisk,
  fsyncDirectory,
  isDiskTrouble,
  type ProcessIdentity,
  readIfExists,
  readJsonIfExists,
  shareFile,
  writeJsonAtomic,
} from '../../../base/index.ts';

/** The files of one turn. */
export interface TurnFiles {
  id: string;
  directory: string;
  prompt: string;
  stdout: string;
  stderr: string;
  events: string;
  exitcode: string;
  /** Why it was stopped, for another process that watches it. */
  stopped: string;
  process: string;
}

const TURN_ID = /^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$/;

export function artefactsRoot(sessionRoot: string): string {
  return path.join(sessionRoot, 'manifest.turn-artifacts');
}

/** The files of a turn, for display. */
export function turnArtefacts(sessionRoot: string, turnId: string): TurnFiles | undefined {
  return turnIdProblem(turnId) ? undefined : turnFiles(artefactsRoot(sessionRoot), turnId);
}

/** A turn's id is the name of its directory. */
export function turnIdProblem(id: string): string | undefined {
  return TURN_ID.test(id)
    ? undefined
    : 'turn_id must be letters, digits, "_" and "-", at most 100, and begin with a letter or digit';
}

export function turnFiles(root: string, id: string): TurnFiles {
  const directory = path.join(root, id);
  const inside = (name: string): string => path.join(directory, name);
  return {
    id,
    directory,
    prompt: inside('prompt.txt'),
    stdout: inside('stdout.jsonl'),
    stderr: inside('stderr.log'),
    events: inside('canonical-events.jsonl'),
    exitcode: inside('exitcode'),
    stopped: inside('stopped'),
    process: inside('process.json'),
  };
}

/**
 * The fence between a gateway that died and the process it had started: an attempt is `ready` until either the runner
 * renames it to `started`, just before it becomes able to run the tool, or a recovery renames it to `void`. A rename
 * succeeds for one of them only.
 */
type AttemptState = 'ready' | 'started' | 'void';

export function attemptFile(files: TurnFiles, attempt: string, state: AttemptState | 'pid'): string {
  return path.join(files.directory, `attempt-${attempt}.${state}`);
}

export function attemptState(files: TurnFiles, attempt: string): AttemptState | 'missing' {
  const states = ['started', 'void', 'ready'] as const;
  return states.find((state) => fs.existsSync(attemptFile(files, attempt, state))) ?? 'missing';
}

/** True when the attempt can no longer run, even if the process that was to start it is still alive. */
export function voidAttempt(files: TurnFiles, attempt: string): boolean {
  try {
    fs.renameSync(attemptFile(files, attempt, 'ready'), attemptFile(files, attempt, 'void'));
    return true;
  } catch (error) {
    if (errnoOf(error) !== 'ENOENT') throw error;
    return attemptState(files, attempt) === 'void';
  }
}

/** Whether a turn with this id has run; a void attempt does not count. */
export function isUsed(files: TurnFiles): boolean {
  try {
    return fs.readdirSync(files.directory).some((name) => /^attempt-.*\.started$/.test(name));
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return false;
    throw error;
  }
}

/** Creates the directory and what the runner needs. Starts nothing and syncs nothing. */
export function prepareFiles(files: TurnFiles, attempt: string, stdin: string | null): void {
  ensurePrivateDirectory(files.directory);
  if (stdin !== null) fs.writeFileSync(files.prompt, stdin, { mode: 0o600 });
  fs.writeFileSync(attemptFile(files, attempt, 'ready'), '', { mode: 0o600 });
}

/** process.json: the fields of the contract, and what identifies this process if its pid is reused. */
interface ProcessRecord {
  runner_pid: number;
  child_pid: number | null;
  launched_at_utc: string;
  runner_start_ticks: number | null;
  boot_id: string | null;
}

export function writeProcess(files: TurnFiles, record: ProcessRecord): void {
  writeJsonAtomic(files.process, record, { durable: false });
}

export function readProcess(files: TurnFiles): (ProcessRecord & { runner: ProcessIdentity }) | undefined {
  const found = readJson(files.process) as Partial<ProcessRecord> | undefined;
  if (!found || !Number.isInteger(found.runner_pid) || (found.runner_pid ?? 0) <= 1) return undefined;
  const record = found as ProcessRecord;
  const runner = { pid: record.runner_pid, startTicks: record.runner_start_ticks, bootId: record.boot_id };
  return { ...record, runner };
}

/** The tool's exit code, written by the runner. */
export function readExitCode(files: TurnFiles): number | undefined {
  return wholeNumber(files.exitcode, /^\d{1,3}\n$/);
}

/** The tool's process id, once the runner has become it. */
export function readToolPid(files: TurnFiles, attempt: string): number | undefined {
  return wholeNumber(attemptFile(files, attempt, 'pid'), /^[1-9]\d{0,9}\n$/);
}

/** A number written by the runner. A line without a newline is incomplete. */
function wholeNumber(file: string, shape: RegExp): number | undefined {
  const text = readIfExists(file) ?? '';
  return shape.test(text) ? Number(text) : undefined;
}

/** The file is renamed into place, so an unreadable one counts as missing. */
function readJson(file: string): unknown {
  try {
    return readJsonIfExists(file);
  } catch {
    return undefined;
  }
}

/**
 * current.json: the turn that this session began last. Written and synced before its process is started, so that recovery
 * after a crash finds it; `settled` once its result is in the manifest.
 */
export interface CurrentTurn {
  turn_id: string;
  request_id: string;
  attempt: string;
  turn_index: number;
  carries_role: boolean;
  boot_id: string | null;
  prepared_at_utc: string;
  settled: boolean;
}

const currentFile = (root: string): string => path.join(root, 'current.json');
const turnFile = (root: string, turnId: string): string => path.join(root, turnId, 'turn.json');

/** Also written beside the turn: another process may begin the next turn before this one is recovered. */
export function writeCurrentTurn(root: string, turn: Omit<CurrentTurn, 'boot_id'>): CurrentTurn {
  const whole = { ...turn, boot_id: bootId() };
  const own = turnFile(root, turn.turn_id);
  writeJsonAtomic(own, whole, { durable: 'content' });
  shareFile(own, currentFile(root));
  for (const directory of [path.dirname(own), root]) fsyncDirectory(directory);
  return whole;
}

/** The latest turn of a request, even if other turns followed it. */
export function readTurnOf(root: string, requestId: string): CurrentTurn | 'unreadable' | undefined {
  const current = readCurrentTurn(root);
  if (current === 'unreadable' || current?.request_id === requestId) return current;
  const turns = turnIds(root)
    .map((id) => readTurn(turnFile(root, id)))
    .filter((turn): turn is CurrentTurn => typeof turn === 'object' && turn.request_id === requestId);
  return turns.sort((a, b) => a.prepared_at_utc.localeCompare(b.prepared_at_utc)).at(-1);
}

function turnIds(root: string): string[] {
  try {
    return fs.readdirSync(root).filter((name) => turnIdProblem(name) === undefined);
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return [];
    throw error;
  }
}

export function settleCurrentTurn(root: string, turn: CurrentTurn): void {
  writeJsonAtomic(currentFile(root), { ...turn, settled: true }, { durable: false });
}

/**
 * Undefined if no turn was ever begun, `unreadable` if the content of current.json is not valid. Throws if the file cannot
 * be read now, which may be temporary.
 */
export function readCurrentTurn(root: string): CurrentTurn | 'unreadable' | undefined {
  return readTurn(currentFile(root));
}

function readTurn(from: string): CurrentTurn | 'unreadable' | undefined {
  let found: Partial<CurrentTurn> | null | undefined;
  try {
    found = readJsonIfExists(from) as typeof found;
  } catch (error) {
    if (isDiskTrouble(error)) throw explainDisk(error, `cannot read ${from}`);
    return 'unreadable';
  }
  if (found === undefined) return undefined;
  const texts = [found?.turn_id, found?.request_id, found?.attempt, found?.prepared_at_utc];
  if (!texts.every((text) => typeof text === 'string') || !/^[0-9a-f]+$/.test(found?.attempt ?? ''))
    return 'unreadable';
  return turnIdProblem(found?.turn_id ?? '') ? 'unreadable' : (found as CurrentTurn);
}

/** Extra turns allowed, so that pruning is not done after every turn. */
const SLACK = 20;

/** Removes the artefacts of the oldest turns beyond `keep`. Other directories are left alone. */
export function pruneTurns(root: string, keep: number, current: string): void {
  const turns = fs
    .readdirSync(root, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && entry.name !== current && !turnIdProblem(entry.name))
    .map((entry) => path.join(root, entry.name));
  if (turns.length <= keep + SLACK) return;
  const byAge = turns
    .map((directory) => ({ directory, at: fs.statSync(directory).mtimeMs }))
    .sort((a, b) => b.at - a.at);
  for (const { directory } of byAge.slice(keep)) fs.rmSync(directory, { recursive: true, force: true });
}

/** The highest number of a `turn-NNNN`; 0 when there is none. */
export function highestTurn(root: string): number {
  const numbers = fs.readdirSync(root).map((name) => Number(/^turn-(\d{4,9})$/.exec(name)?.[1] ?? 0));
  return Math.max(0, ...numbers);
}
