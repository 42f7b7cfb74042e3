import { spawnSync } from 'node:child_process';
import * as path from 'node:path';

/** Start-up of the command line, beside a bare node in the same environment. */
export async function run(print: (line: string) => void): Promise<void> {
  const rouse = path.join(process.env['ROUSE_ROOT']!, 'bin', 'rouse');
  const cases: Record<string, [string, string[]]> = {
    'node -e 0': [process.execPath, ['-e', '0']],
    'rouse --version': [rouse, ['--version']],
    'rouse --help': [rouse, ['--help']],
    'rouse mail --help': [rouse, ['mail', '--help']],
    'rouse agents gateway status (no gateway)': [
      rouse,
      ['agents', 'gateway', 'status', '--agent-name', 'nobody'],
    ],
  };
  // Without extra certificates, which slow a bare node down and not us: the harder comparison.
  const { NODE_EXTRA_CA_CERTS: _certificates, ...rest } = process.env;
  const env = { ...rest, ROUSE_HOME: '/nonexistent/rouse' };
  const times: Record<string, number[]> = {};
  for (let round = 0; round < 21; round++) {
    for (const [name, [program, args]] of Object.entries(cases)) {
      const start = performance.now();
      spawnSync(program, args, { stdio: 'ignore', env });
      (times[name] ??= []).push(performance.now() - start);
    }
  }
  const median = (name: string): number => times[name]!.toSorted((a, b) => a - b)[10]!;
  const bare = median('node -e 0');
  print('median of 21 runs, interleaved; goal: --version and status within 2x of node -e 0');
  for (const name of Object.keys(cases)) {
    print(
      `${name.padEnd(42)} ${median(name).toFixed(1).padStart(7)} ms   ${(median(name) / bare).toFixed(2)}x`,
    );
  }
}
