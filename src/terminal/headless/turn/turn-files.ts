import * as fs from 'node:fs';
import * as path from 'node:path';
import {
  ensurePrivateDirectory,
  errnoOf,
  type ProcessIdentity,
  readIfExists,
  readJsonIfExists,
  writeJsonAtomic,
} from '../../../base/index.ts';

/** Everything one turn leaves behind. */
export interface TurnFiles {
  id: string;
  directory: string;
  prompt: string;
  stdout: string;
  stderr: string;
  events: string;
  exitcode: string;
  /** Why it was told to end, for whoever else attends it. */
  stopped: string;
  process: string;
}

const TURN_ID = /^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$/;

export function artefactsRoot(sessionRoot: string): string {
  return path.join(sessionRoot, 'manifest.turn-artifacts');
}

/** What a turn left behind, for whoever shows it. */
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
export type AttemptState = 'ready' | 'started' | 'void';

export function attemptFile(files: TurnFiles, attempt: string, state: AttemptState | 'pid'): string {
  return path.join(files.directory, `attempt-${attempt}.${state}`);
}

export function attemptState(files: TurnFiles, attempt: string): AttemptState | 'missing' {
  const states = ['started', 'void', 'ready'] as const;
  return states.find((state) => fs.existsSync(attemptFile(files, attempt, state))) ?? 'missing';
}

/** True when the attempt will never run now, whatever still lives of the process that was to start it. */
export function voidAttempt(files: TurnFiles, attempt: string): boolean {
  try {
    fs.renameSync(attemptFile(files, attempt, 'ready'), attemptFile(files, attempt, 'void'));
    return true;
  } catch (error) {
    if (errnoOf(error) !== 'ENOENT') throw error;
    return attemptState(files, attempt) === 'void';
  }
}

/** Whether something has run under this id already; an attempt that was made void has not. */
export function isUsed(files: TurnFiles): boolean {
  try {
    return fs.readdirSync(files.directory).some((name) => /^attempt-.*\.started$/.test(name));
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return false;
    throw error;
  }
}

/** Makes the directory and everything the runner needs. Nothing runs yet, and nothing is synced. */
export function prepareFiles(files: TurnFiles, attempt: string, stdin: string | null): void {
  ensurePrivateDirectory(files.directory);
  if (stdin !== null) fs.writeFileSync(files.prompt, stdin, { mode: 0o600 });
  fs.writeFileSync(attemptFile(files, attempt, 'ready'), '', { mode: 0o600 });
}

/** process.json. The contract's fields, and what tells this process from a later one of the same number. */
export interface ProcessRecord {
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

/** The number the runner wrote when the tool had ended. */
export function readExitCode(files: TurnFiles): number | undefined {
  return wholeNumber(files.exitcode, /^\d{1,3}\n$/);
}

/** The tool's process id, once the runner has become it. */
export function readToolPid(files: TurnFiles, attempt: string): number | undefined {
  return wholeNumber(attemptFile(files, attempt, 'pid'), /^[1-9]\d{0,9}\n$/);
}

/** What the runner wrote; a line without its end is still being written. */
function wholeNumber(file: string, shape: RegExp): number | undefined {
  const text = readIfExists(file) ?? '';
  return shape.test(text) ? Number(text) : undefined;
}

/** Written aside and renamed, so anything unreadable is as good as absent. */
function readJson(file: string): unknown {
  try {
    return readJsonIfExists(file);
  } catch {
    return undefined;
  }
}
