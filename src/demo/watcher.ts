import { spawn } from 'node:child_process';
import * as path from 'node:path';
import { packageRoot } from '../session/index.ts';

/**
 * A shell that holds the other end of a pipe: however this process ends, it reads the end of it, and clears the demo's
 * place if it is still there. A shell, because it costs nothing while it waits.
 */
export function watchOver(directory: string, env: NodeJS.ProcessEnv): void {
  const script = 'read -r _; [ -d "$1" ] && exec "$2" "$3" demo --clear "$1"';
  const program = path.join(packageRoot(), 'dist', 'rouse.cjs');
  const watcher = spawn('sh', ['-c', script, 'rouse-demo', directory, process.execPath, program], {
    // Out of the terminal's reach: what ends the demo must not end it.
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
    env,
  });
  watcher.on('error', () => {});
  watcher.stdin.on('error', () => {});
  watcher.unref();
}
