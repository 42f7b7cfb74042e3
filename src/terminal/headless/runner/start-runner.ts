import { type ChildProcess, spawn } from 'node:child_process';
import * as fs from 'node:fs';
import { identifyChild, type ProcessIdentity } from '../../../base/index.ts';
import type { TurnFiles } from '../turn/turn-files.ts';

/**
 * The shell script that runs the tool and writes how it ended, even if the gateway is gone by then. It takes the fence
 * first; without the fence nothing runs. The inner shell writes its process id and becomes the tool. The traps keep the
 * runner alive when the group is signalled; the tool does not inherit handlers, as it would ignored signals. The shell
 * itself writes the numbers; a number is complete once its line ends.
 */
const RUNNER = `
trap : HUP INT TERM
dir=$1 attempt=$2
shift 2
command -p mv -- "$dir/attempt-$attempt.ready" "$dir/attempt-$attempt.started" 2>/dev/null || exit 125
/bin/sh -c '
  (umask 077 && printf "%s\\n" "$$" >"$1")
  shift
  exec "$@"
' rouse-turn "$dir/attempt-$attempt.pid" "$@"
code=$?
umask 077
printf '%s\\n' "$code" >"$dir/exitcode"
exit "$code"
`;

export interface RunnerOptions {
  files: TurnFiles;
  attempt: string;
  command: string[];
  /** Whether standard input is the prompt file; otherwise it is empty. */
  readsPrompt: boolean;
  cwd: string;
  env: NodeJS.ProcessEnv;
}

export interface Exit {
  code: number | null;
  signal: NodeJS.Signals | null;
}

export interface Runner {
  identity: ProcessIdentity;
  exit: Promise<Exit>;
  /** This process may end before the runner does. */
  unref(): void;
}

/**
 * Starts a turn in a session and process group of its own. Input and output are files, not pipes: the tool has the whole
 * prompt at once, and neither stalls nor dies with the gateway. Rejects if nothing was started.
 */
export async function startRunner({ files, ...options }: RunnerOptions): Promise<Runner> {
  const opened: number[] = [];
  const open = (file: string, flags: string): number => {
    opened.push(fs.openSync(file, flags, 0o600));
    return opened.at(-1)!;
  };
  try {
    const stdin = open(options.readsPrompt ? files.prompt : '/dev/null', 'r');
    const words = ['-c', RUNNER, 'rouse-turn', files.directory, options.attempt, ...options.command];
    const child = spawn('/bin/sh', words, {
      cwd: options.cwd,
      env: options.env,
      detached: true,
      stdio: [stdin, open(files.stdout, 'a'), open(files.stderr, 'a')],
    });
    const exit = new Promise<Exit>((resolve) =>
      child.once('exit', (code, signal) => resolve({ code, signal })),
    );
    await spawned(child);
    const pid = child.pid!;
    return {
      identity: identifyChild(pid),
      exit,
      unref: () => child.unref(),
    };
  } finally {
    for (const fd of opened) fs.closeSync(fd);
  }
}

function spawned(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('spawn', resolve);
  });
}
