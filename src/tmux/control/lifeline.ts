import { type ChildProcess, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import type { Exec } from '../exec.ts';

/** A control mode process: what to write to it and what it says. */
export interface ControlProcess {
  child: ChildProcess;
  input: Writable;
  output: Readable;
  errors: Readable;
}

/** What a shell exits with when there is no such program. */
export const NO_SUCH_PROGRAM = 127;

/**
 * 3 is the client's input. 4 is the lifeline: when its other end closes without a word, its owner was killed. The
 * client is executed in place of the shell, so the child's pid is the client's; the watcher is all that is added.
 */
const SCRIPT = `
client=$$
{ read -r ended <&4 || kill -9 "$client"; } 3<&- </dev/null >/dev/null 2>&1 &
exec "$@" <&3 3<&- 4<&-
`;

/**
 * Starts a control client that does not outlive its owner.
 *
 * By itself a control client whose owner is killed often stays: once tmux cannot deliver what it still has for it, the
 * client waits for ever to be done. As long as it is there tmux may read nothing more from the program in the pane,
 * which then hangs, and `kill-server` does not end. A parent-death signal is not to be had everywhere, so a shell
 * keeps watch.
 */
export function spawnOnLifeline(exec: Exec, args: readonly string[]): ControlProcess {
  const command = [exec.binary, ...exec.serverArgs, ...args];
  const child = spawn('sh', ['-c', SCRIPT, 'sh', ...command], {
    cwd: '/',
    env: exec.env,
    stdio: ['ignore', 'pipe', 'pipe', 'pipe', 'pipe'],
  });
  const [, output, errors, input, lifeline] = child.stdio as [null, Readable, Readable, Writable, Writable];
  lifeline.on('error', () => {}); // the watcher has gone first
  child.once('exit', () => lifeline.end('ended\n'));
  return { child, input, output, errors };
}
