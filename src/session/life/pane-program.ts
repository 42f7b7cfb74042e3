import * as fs from 'node:fs';
import * as path from 'node:path';
import { randomHex, shellQuote, shellWords, writeFileAtomic } from '../../base/index.ts';
import { relaunchCommand } from '../../domain/index.ts';
import { DRAIN_TERMINAL, KEEP_TERMINAL_MODES } from '../../tmux/index.ts';
import { NEVER_IN_A_PANE, writeEnvironmentFile } from '../equip/handed-environment.ts';

export interface PaneProgram {
  /** The session's launch directory. */
  directory: string;
  title: string;
  workdir: string;
  command: string[];
  env: Record<string, string>;
  /** Variables the tmux server may have that are not for this tool: marks of another instance of it. */
  without?: readonly string[] | undefined;
}

/** Where a started tool tells its process id, and its exit code when it has ended. New names for every start. */
export interface ToolTrace {
  directory: string;
  pidFile: string;
  exitFile: string;
}

const ENV_FILE = 'env';
const TRACE = /^tool-[0-9a-f]+\.(pid|exit)$/;

/**
 * Writes what the agent's pane runs and returns its command. `start.sh` stays as the pane's process: it runs the
 * tool, and when the tool has ended says so and becomes a login shell, so that the window remains and everyone
 * can see that the tool is gone. `run.sh` drops what the tmux server
 * has of others, takes the environment, removes its file, and becomes the tool.
 */
export function writePaneProgram(program: PaneProgram): { command: string[]; trace: ToolTrace } {
  const { directory } = program;
  const place = (name: string): string => path.join(directory, name);
  const write = (name: string, text: string): void =>
    writeFileAtomic(place(name), text, { mode: 0o700, durable: false });
  for (const old of fs.readdirSync(directory).filter((name) => TRACE.test(name))) fs.rmSync(place(old));
  const stem = `tool-${randomHex(4)}`;
  const trace = { directory, pidFile: place(`${stem}.pid`), exitFile: place(`${stem}.exit`) };
  writeEnvironmentFile(place(ENV_FILE), program.env);
  write('run.sh', runScript(program, place(ENV_FILE), trace));
  write('start.sh', startScript(program, place('run.sh'), trace));
  return { command: ['/bin/sh', place('start.sh')], trace };
}

function runScript({ command, without = [] }: PaneProgram, envFile: string, { pidFile }: ToolTrace): string {
  const env = shellQuote(envFile);
  return `#!/bin/sh
unset ${shellWords([...NEVER_IN_A_PANE, ...without])}
. ${env}
command -p rm -f ${env}
umask_before=$(umask)
umask 077
printf '%s\\n' "$$" >${shellQuote(`${pidFile}.new`)} && command -p mv -f ${shellWords([`${pidFile}.new`, pidFile])}
umask "$umask_before"
unset umask_before
exec ${shellWords(command)}
`;
}

/**
 * The trap keeps this shell alive when Ctrl-C ends the tool; a handler, unlike an ignored signal, is not inherited.
 * Under job control the tool is the terminal's foreground group by itself, as tmux and `ps` then show it, and a
 * tool that suspends itself is continued, since nobody is there to type `fg`. Bash cannot do the latter in a
 * script, so there the tool stays in this shell's group, where Ctrl-Z has no effect. What a shell says of its jobs
 * ("Stopped") would stand on the tool's screen, so its standard error is closed to it while the tool runs.
 */
function startScript({ title, workdir }: PaneProgram, runFile: string, { exitFile }: ToolTrace): string {
  return `#!/bin/sh
trap : INT QUIT
cd ${shellQuote(workdir)} || exit 1
${KEEP_TERMINAL_MODES}
exec 3>&2 2>/dev/null
[ -n "$BASH_VERSION" ] || set -m
/bin/sh ${shellQuote(runFile)} 2>&3 3>&-
code=$?
while [ "$code" -ge 147 ] && [ "$code" -le 150 ]; do
  fg >/dev/null 2>&1
  code=$?
done
set +m
exec 2>&3 3>&-
(umask 077; printf '%s\\n' "$code" >${shellQuote(`${exitFile}.new`)} && command -p mv -f ${shellWords([`${exitFile}.new`, exitFile])})
${DRAIN_TERMINAL}
printf '\\r\\n[rouse] %s ended with code %s. This is a shell now; "%s" starts the tool again.\\r\\n' ${shellQuote(title)} "$code" ${shellQuote(relaunchCommand(title))}
trap - INT QUIT
[ -x "$SHELL" ] || SHELL=/bin/sh
exec "$SHELL" -l
`;
}

/** A pane without a tool: the surface of a headless agent, whose turns run in it one by one. */
export function idleShell(env: NodeJS.ProcessEnv): string[] {
  return [env['SHELL'] || '/bin/sh', '-l'];
}
