/**
 * Scripted: a terminal program that behaves like a coding agent and records what it received. Tests and the demo use
 * it: what Rouse believes it did is compared with what this agent recorded.
 *
 * Promises  A prompt is in the transcript, with its hash, before anything is done about it; kill -9 loses none.
 *           Every key that reaches a dialog is recorded. Faults happen only when asked for. A turn always ends,
 *           unless it was told to hang.
 * Never     Runs a shell command, whatever it is told: it records what it would have run. Calls a gateway on
 *           another machine. Shares code with the rooms it judges, except base.
 * Errors    Bad flags, scripts and control messages are refused whole: `invalid` (exit 2), no such session
 *           `not_found` (exit 3).
 */

import { asRouseError, type Clock, type ErrorCode, systemClock } from '../base/index.ts';
import { helpText, readOptions, skinList } from './options.ts';

/** What `ps` and tmux call the process, so that it is told from a shell and from other Node programs. */
export const PROCESS_TITLE = 'scripted-agent';

export interface ScriptedRun {
  /** Without the program's own name. */
  argv: string[];
  env: NodeJS.ProcessEnv;
  /** Standard input to its end; nothing when it is a terminal. */
  input: () => Promise<string>;
  stdout: { write(text: string): unknown };
  stderr: { write(text: string): unknown };
  /** Asked for only when there is to be a screen: its streams take longer to make than a headless turn. */
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
