import { type Clock, isProcessAlive, sleep } from '../../../base/index.ts';
import { findRunner } from '../runner/find-runner.ts';
import { endGroup } from '../runner/process-group.ts';
import { readCurrentTurn } from './current-turn.ts';
import { artefactsRoot, turnFiles, voidAttempt } from './turn-files.ts';

const PAUSE_MS = 20;

/**
 * Ends the turn a session's gateway left running, for whoever ends the session: a turn is no child of tmux and does not
 * end with it. Returns the id of the turn that was ended, if one ran.
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
