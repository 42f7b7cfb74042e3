import * as path from 'node:path';
import { writeFileAtomic } from '../base/index.ts';
import { writeEnvironmentFile } from './handed-environment.ts';
import { shellQuote, shellWords } from './shell-quote.ts';

export interface PaneProgram {
  /** The session's launch directory. */
  directory: string;
  title: string;
  workdir: string;
  command: string[];
  env: Record<string, string>;
}

/** Files of the launch directory through which the pane tells how its tool fares. */
export const TOOL_PID_FILE = 'tool.pid';
export const TOOL_EXIT_FILE = 'tool.exit';
const ENV_FILE = 'env';

/**
 * Writes what the agent's pane runs and returns its command. `start.sh` stays as the pane's process: it runs the
 * tool, and when the tool has ended says so and becomes a login shell, so that the window remains and everyone
 * can see that the tool is gone. `run.sh` takes the environment, removes its file, and becomes the tool.
 */
export function writePaneProgram(program: PaneProgram): string[] {
  const { directory } = program;
  const place = (name: string): string => path.join(directory, name);
  const write = (name: string, text: string): void =>
    writeFileAtomic(place(name), text, { mode: 0o700, durable: false });
  writeEnvironmentFile(place(ENV_FILE), program.env);
  write('run.sh', runScript(program, place));
  write('start.sh', startScript(program, place));
  return ['/bin/sh', place('start.sh')];
}

function runScript({ command }: PaneProgram, place: (name: string) => string): string {
  const env = shellQuote(place(ENV_FILE));
  return `#!/bin/sh
. ${env}
rm -f ${env}
umask_before=$(umask)
umask 077
printf '%s\\n' "$$" >${shellQuote(place('tool.pid.new'))} && mv -f ${shellWords([place('tool.pid.new'), place(TOOL_PID_FILE)])}
umask "$umask_before"
unset umask_before
exec ${shellWords(command)}
`;
}

/** The trap keeps this shell alive when Ctrl-C ends the tool; a handler, unlike an ignored signal, is not inherited. */
function startScript({ title, workdir }: PaneProgram, place: (name: string) => string): string {
  return `#!/bin/sh
trap : INT QUIT
cd ${shellQuote(workdir)} || exit 1
/bin/sh ${shellQuote(place('run.sh'))}
code=$?
(umask 077; printf '%s\\n' "$code" >${shellQuote(place('tool.exit.new'))} && mv -f ${shellWords([place('tool.exit.new'), place(TOOL_EXIT_FILE)])})
printf '\\r\\n[rouse] %s ended with code %s. This is a shell now; "rouse agents relaunch" starts the tool again.\\r\\n' ${shellQuote(title)} "$code"
trap - INT QUIT
[ -x "$SHELL" ] || SHELL=/bin/sh
exec "$SHELL" -l
`;
}

/** A pane without a tool: the surface of a headless agent, whose turns run in it one by one. */
export function idleShell(env: NodeJS.ProcessEnv): string[] {
  return [env['SHELL'] || '/bin/sh', '-l'];
}
