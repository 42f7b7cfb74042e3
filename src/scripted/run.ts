/**
 * Scripted: a terminal program that behaves like a coding agent and records what it received. Tests and the demo use
 * it to compare what Rouse believes it did with what really arrived.
 *
 * Promises  A prompt is in the transcript, with its hash, before anything else happens; kill -9 loses none.
 *           Every key that reaches a dialog is recorded. Faults happen only on request. A turn always ends,
 *           unless a directive makes it hang.
 * Never     Runs a shell command: it records what it would have run. Calls a gateway on another machine.
 *           Shares code with the rooms it judges, except base.
 * Errors    Bad flags, scripts and control messages have no effect: `invalid` (exit 2); no such session:
 *           `not_found` (exit 3).
 */

import { asRouseError, type Clock, type ErrorCode, systemClock } from '../base/index.ts';
import { helpText, readOptions, skinList } from './options.ts';

/** The name of the process in `ps` and tmux, which differs from a shell and from other Node programs. */
export const PROCESS_TITLE = 'scripted-agent';

export interface ScriptedRun {
  /** Without the program's own name. */
  argv: string[];
  env: NodeJS.ProcessEnv;
  /** All of standard input; empty when it is a terminal. */
  input: () => Promise<string>;
  stdout: { write(text: string): unknown };
  stderr: { write(text: string): unknown };
  /** Called only for the interactive agent: creating these streams takes longer than a headless turn. */
  terminal: () => { stdin: NodeJS.ReadStream; stdout: NodeJS.WriteStream };
  clock?: Clock;
}

/** Starts the scripted agent and resolves with its exit code: 0 ended, 1 crashed or failed, 2 bad flags, 3 no such session, 4 session id in use. */
export async function runScriptedAgent(run: ScriptedRun): Promise<number> {
  const { argv, env, stdout, stderr, clock = systemClock } = run;
  try {
    const options = readOptions(argv, env, process.cwd());
    if (options.mode === 'help') stdout.write(helpText());
    else if (options.mode === 'list-skins') stdout.write(skinList());
    else if (options.mode === 'headless') {
      process.title = PROCESS_TITLE;
      const { runHeadless } = await import('./headless.ts');
      return await runHeadless(options, { input: run.input, stdout, stderr }, clock);
    } else {
      process.title = PROCESS_TITLE;
      const { runTui } = await import('./tui/tui.ts');
      return await runTui(options, { ...run.terminal(), stderr }, clock);
    }
    return 0;
  } catch (error) {
    const { code, message, hint } = asRouseError(error);
    stderr.write(`error: ${message}\n${hint === undefined ? '' : `${hint}\n`}`);
    return EXIT[code] ?? 1;
  }
}

const EXIT: Partial<Record<ErrorCode, number>> = { invalid: 2, not_found: 3, conflict: 4 };
