import { spawn } from 'node:child_process';
import { once } from 'node:events';

/**
 * Runs `work` while this process cannot open files: its soft limit is below every descriptor it could get. Another process
 * sets and restores the limit, because this one could not start one then.
 */
export async function withoutDescriptors<T>(work: () => T | Promise<T>): Promise<T> {
  const limit = (soft: string): string => `prlimit --pid ${process.pid} --nofile=${soft}:`;
  const script = `before=$(prlimit --pid ${process.pid} --nofile -o SOFT --noheadings | tr -d ' ')
${limit('3')} && echo low && read -r _; ${limit('$before')}`;
  const helper = spawn('sh', ['-c', script], { stdio: ['pipe', 'pipe', 'inherit'] });
  const exited = once(helper, 'exit');
  await Promise.race([once(helper.stdout, 'data'), exited]);
  try {
    return await work();
  } finally {
    helper.stdin.end('\n');
    await exited;
  }
}
