import { bootId, type Clock, isProcessAlive, sleep, utcStamp } from '../../../base/index.ts';
import type { InterruptedDelivery, Recovered } from '../../port.ts';
import { findRunner } from '../runner/find-runner.ts';
import { type CurrentTurn, readTurnOf } from './current-turn.ts';
import { attemptState, readExitCode, readToolPid, turnFiles, voidAttempt } from './turn-files.ts';

const PATIENCE_MS = 5000;
const PAUSE_MS = 20;
/** What a shell ends with when it cannot become a program. */
const NOT_RUN = [126, 127];

/**
 * Whether a prompt that was being given when its gateway died reached the tool. An attempt that has not started is
 * made void first, so that `not_submitted` stays true whatever still lives.
 */
export async function recoverTurn(
  root: string,
  interrupted: InterruptedDelivery,
  clock: Clock,
): Promise<Recovered> {
  const answer = (verdict: Recovered['verdict'], facts: Record<string, unknown>): Recovered => ({
    verdict,
    evidence: [{ source: 'process', atUtc: utcStamp(clock.now()), facts }],
  });
  const current = readTurnOf(root, interrupted.requestId);
  if (current === 'unreadable') return answer('unknown', { found: 'current.json cannot be read' });
  if (current === undefined)
    return answer('not_submitted', { found: 'no turn was prepared for this request' });
  const files = turnFiles(root, current.turn_id);
  const facts = { turn_id: current.turn_id, attempt: current.attempt, artefacts: files.directory };
  if (current.boot_id !== bootId() && attemptState(files, current.attempt) === 'ready')
    return answer('unknown', {
      ...facts,
      found: 'the machine was restarted; a start may not have reached the disk',
    });
  if (voidAttempt(files, current.attempt))
    return answer('not_submitted', { ...facts, found: 'prepared, never started; made void' });
  if (attemptState(files, current.attempt) !== 'started')
    return answer('unknown', { ...facts, found: 'the attempt has left no trace' });
  const toolPid = await waitForTool();
  if (toolPid === undefined)
    return answer('unknown', { ...facts, found: 'the runner ended before the tool ran' });
  const exitCode = readExitCode(files) ?? null;
  const found = { ...facts, tool_pid: toolPid, exit_code: exitCode };
  if (exitCode !== null && NOT_RUN.includes(exitCode))
    return answer('unknown', { ...found, found: 'the tool may not have run' });
  return answer('submitted', { ...found, found: 'the tool was started with the prompt' });

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
