import { type ChildProcess, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import type { Exec } from '../exec.ts';

/** A control mode process with its input and output. */
export interface ControlProcess {
  child: ChildProcess;
  input: Writable;
  output: Readable;
  errors: Readable;
}

/** A shell's exit code if there is no such program. */
export const NO_SUCH_PROGRAM = 127;

/**
 * 3 is the client's input. 4 is the lifeline: if its other end closes without a message, the owner was killed. The shell is
 * replaced by the client, so the child's pid is the client's; the watcher is the only additional process.
 */
const SCRIPT = `
client=$$
{ read -r ended <&4 || kill -9 "$client"; } 3<&- </dev/null >/dev/null 2>&1 &
exec "$@" <&3 3<&- 4<&-
`;

/**
 * Starts a control client that does not outlive its owner.
 *
 * A control client whose owner is killed often stays: while tmux cannot deliver the remaining output, the client waits for
 * ever. As long as it exists, tmux may stop reading from the program in the pane, which then hangs, and `kill-server` does
 * not end. Not every system has a parent-death signal, so a shell watches.
 */
export function spawnOnLifeline(exec: Exec, args: readonly string[]): ControlProcess {
  const command = [exec.binary, ...exec.serverArgs, ...args];
  const child = spawn('sh', ['-c', SCRIPT, 'sh', ...command], {
    cwd: '/',
    env: exec.env,
    stdio: ['ignore', 'pipe', 'pipe', 'pipe', 'pipe'],
  });
  const [, output, errors, input, lifeline] = child.stdio as [null, Readable, Readable, Writable, Writable];
  lifeline.on('error', () => {}); // the watcher ended first
  child.once('exit', () => lifeline.end('ended\n'));
  return { child, input, output, errors };
}
