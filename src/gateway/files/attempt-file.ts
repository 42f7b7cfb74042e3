import { ensurePrivateDirectory, writeJsonAtomic } from '../../base/index.ts';
import { gatewayFiles } from '../../wire/index.ts';

export type AttemptResult =
  | { status: 'ready'; instance_id: string; port: number; pid: number }
  | { status: 'failed'; code: string; message: string };

/** What became of a start, for whoever started it: nobody has to read a log to learn it. */
export function writeAttempt(gatewayRoot: string, attemptId: string, result: AttemptResult): void {
  const { run, attempt } = gatewayFiles(gatewayRoot);
  ensurePrivateDirectory(run);
  writeJsonAtomic(attempt, { attempt_id: attemptId, ...result });
}
