import { execFile } from 'node:child_process';
import { readVersion } from '../screen/index.ts';

const TIMEOUT_MS = 6000;

/**
 * The version a tool tells when asked. What is known about its screens holds for certain versions, so the manifest
 * records which one was started. A tool that does not say is of unknown version; that is no reason not to start it.
 */
export function detectVersion(
  words: readonly string[],
  place: { cwd: string; env: Record<string, string> },
): Promise<string | null> {
  return new Promise((resolve) => {
    const options = { ...place, timeout: TIMEOUT_MS, killSignal: 'SIGKILL' as const, maxBuffer: 64 * 1024 };
    const child = execFile(words[0]!, [...words.slice(1), '--version'], options, (error, stdout) => {
      resolve(error ? null : (readVersion(stdout)?.join('.') ?? null));
    });
    child.stdin?.end();
  });
}
