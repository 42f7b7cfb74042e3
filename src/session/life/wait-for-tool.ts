import * as fs from 'node:fs';
import * as path from 'node:path';
import {
  commandLineOf,
  identifyProcess,
  type ProcessIdentity,
  processStatus,
  readIfExists,
  unavailable,
} from '../../base/index.ts';
import type { SessionContext } from '../session-context.ts';
import type { ToolTrace } from './pane-program.ts';

const TIMEOUT_MS = 10_000;
/** A tool that cannot start says so and ends; one that is still there after this has started. */
const SETTLE_MS = 200;

/**
 * Waits until the tool itself runs in the pane's foreground (the script has written its process id and become the
 * tool) and stays there for a moment. Ends early when the tool has ended, with the code it ended with.
 */
export function waitForTool(context: SessionContext, trace: ToolTrace): Promise<ProcessIdentity> {
  return new Promise((resolve, reject) => {
    const { clock } = context;
    const deadline = clock.monotonic() + TIMEOUT_MS;
    let cancel: (() => void) | undefined;
    let seenAt: number | undefined;
    const watcher = fs.watch(trace.directory, () => look());
    watcher.on('error', () => {});
    const done = (settle: () => void): void => {
      watcher.close();
      cancel?.();
      settle();
    };
    const look = (): void => {
      cancel?.();
      const exit = readIfExists(trace.exitFile)?.trim();
      const tool = exit === undefined ? startedTool(trace) : undefined;
      if (tool) seenAt ??= clock.monotonic();
      if (exit !== undefined) done(() => reject(endedAtOnce(exit)));
      else if (tool && clock.monotonic() - seenAt! >= SETTLE_MS) done(() => resolve(tool));
      else if (clock.monotonic() >= deadline || context.signal?.aborted) done(() => reject(tooLate()));
      else cancel = clock.after(20, look);
    };
    look();
  });
}

/** The process that the script became, once it is no longer the script, while it holds the terminal. */
function startedTool({ directory, pidFile }: ToolTrace): ProcessIdentity | undefined {
  const pid = Number(readIfExists(pidFile)?.trim());
  if (!Number.isInteger(pid) || pid <= 0) return undefined;
  try {
    const identity = identifyProcess(pid);
    const status = processStatus(pid);
    if (!identity || !status || status.state === 'ended') return undefined;
    const isScript = commandLineOf(pid)[1] === path.join(directory, 'run.sh');
    return !isScript && status.processGroup === status.foregroundGroup ? identity : undefined;
  } catch {
    return undefined; // looked at again in a moment
  }
}

function endedAtOnce(code: string): Error {
  return unavailable(`the tool ended at once with code ${code}`, {
    facts: { cause: 'tool_ended', exit_code: Number(code) },
  });
}

function tooLate(): Error {
  return unavailable(`the tool was not running after ${TIMEOUT_MS / 1000} s`, {
    facts: { cause: 'tool_timeout' },
  });
}
