import { bootId, type Clock, isProcessAlive, sleep, utcStamp } from '../../../base/index.ts';
import type { InterruptedDelivery, Recovered } from '../../port.ts';
import { findRunner } from '../runner/find-runner.ts';
import { endGroup } from '../runner/process-group.ts';
import {
  artefactsRoot,
  attemptState,
  type CurrentTurn,
  readCurrentTurn,
  readExitCode,
  readToolPid,
  readTurnOf,
  turnFiles,
  voidAttempt,
} from './turn-files.ts';

const PATIENCE_MS = 5000;
const PAUSE_MS = 20;
/** A shell's exit codes when it cannot run a program. */
const NOT_RUN = [126, 127];

/**
 * Whether a prompt reached the tool whose gateway died while delivering it. An attempt that has not started is made void
 * first, so `not_submitted` stays true even if its runner is still alive.
 */
export async function recoverTurn(
  root: string,
  interrupted: InterruptedDelivery,
  clock: Clock,
): Promise<Recovered> {
  const result = (verdict: Recovered['verdict'], facts: Record<string, unknown>): Recovered => ({
    verdict,
    evidence: [{ source: 'process', atUtc: utcStamp(clock.now()), facts }],
  });
  const current = readTurnOf(root, interrupted.requestId);
  if (current === 'unreadable') return result('unknown', { found: 'current.json cannot be read' });
  if (current === undefined)
    return result('not_submitted', { found: 'no turn was prepared for this request' });
  const files = turnFiles(root, current.turn_id);
  const facts = { turn_id: current.turn_id, attempt: current.attempt, artefacts: files.directory };
  if (current.boot_id !== bootId() && attemptState(files, current.attempt) === 'ready')
    return result('unknown', {
      ...facts,
      found: 'the machine was restarted; a start may not have reached the disk',
    });
  if (voidAttempt(files, current.attempt))
    return result('not_submitted', { ...facts, found: 'prepared, never started; made void' });
  if (attemptState(files, current.attempt) !== 'started')
    return result('unknown', { ...facts, found: 'the attempt has left no trace' });
  const toolPid = await waitForTool();
  if (toolPid === undefined)
    return result('unknown', { ...facts, found: 'the runner ended before the tool ran' });
  const exitCode = readExitCode(files) ?? null;
  const found = { ...facts, tool_pid: toolPid, exit_code: exitCode };
  if (exitCode !== null && NOT_RUN.includes(exitCode))
    return result('unknown', { ...found, found: 'the tool may not have run' });
  return result('submitted', { ...found, found: 'the tool was started with the prompt' });

  /** The runner takes the fence some milliseconds before it becomes the tool. */
  async function waitForTool(): Promise<number | undefined> {
    const { attempt } = current as CurrentTurn;
    const runner = findRunner(files, attempt);
    const deadline = clock.monotonic() + PATIENCE_MS;
    for (;;) {
      const alive = isProcessAlive(runner) && clock.monotonic() < deadline;
      const pid = readToolPid(files, attempt);
      if (pid !== undefined || !alive) return pid;
      await sleep(clock, PAUSE_MS);
    }
  }
}

/**
 * Ends the turn that a gateway left running, when its session ends: a turn is not a child of tmux and does not end
 * with it. Returns the id of the turn that was ended, if one ran.
 */
export async function endHeadlessTurn(
  sessionRoot: string,
  { clock, graceMs }: { clock: Clock; graceMs: number },
): Promise<string | undefined> {
  const root = artefactsRoot(sessionRoot);
  const current = readCurrentTurn(root);
  if (current === undefined || current === 'unreadable') return undefined;
  const files = turnFiles(root, current.turn_id);
  if (voidAttempt(files, current.attempt)) return undefined;
  const runner = findRunner(files, current.attempt);
  if (!isProcessAlive(runner)) return undefined;
  const ended = (async () => {
    while (isProcessAlive(runner)) await sleep(clock, PAUSE_MS);
  })();
  await endGroup(runner, ended, { clock, graceMs });
  return current.turn_id;
}
