import { execFile } from 'node:child_process';
import { type ForeignName, foreignPath } from '../../scripts/foreign-tools.mjs';

export interface Said {
  code: number;
  out: string;
}

/** Runs a program of one of the packages. A missing program is an error, never a skipped test. */
export function runForeign(name: ForeignName, args: string[]): Promise<Said> {
  return run(name, args, { ...process.env, PATH: foreignPath(name), REDOCLY_TELEMETRY: 'off', CI: '1' });
}

export function run(program: string, args: string[], env = process.env, input = ''): Promise<Said> {
  return new Promise((resolve, reject) => {
    const options = { env, encoding: 'utf8' as const, maxBuffer: 64 * 1024 * 1024 };
    const child = execFile(program, args, options, (error, stdout, stderr) => {
      const code = error ? error.code : 0;
      if (typeof code !== 'number') return reject(error);
      resolve({ code, out: stdout + stderr });
    });
    child.stdin?.end(input);
  });
}
