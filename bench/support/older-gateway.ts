import { execFileSync } from 'node:child_process';
import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';

export interface OlderGateway {
  /** Resident, in MB. */
  megabytes: number;
  /** Hundredths of a core. */
  cpu: number;
}

/** What an idle gateway of an older commit costs, by that commit's own `bench -- idle`, in a work tree of its own. */
export function olderGateway(ref: string, count: number, seconds: number): OlderGateway {
  const root = process.env['ROUSE_ROOT']!;
  const directory = path.join(fs.mkdtempSync(path.join(os.tmpdir(), 'rouse-older-')), 'tree');
  const git = (...words: string[]): void => {
    execFileSync('git', ['-C', root, 'worktree', ...words], { stdio: 'ignore' });
  };
  git('add', '--detach', directory, ref);
  try {
    const said = execFileSync('npm', ['run', 'bench', '--', 'idle', String(count), String(seconds)], {
      cwd: directory,
      encoding: 'utf8',
      env: { ...process.env, ROUSE_ROOT: directory, ROUSE_TEST_ROOT: directory },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const row = /^ *\d+ +(\d+) MB +[\d.]+ +([\d.]+) /m.exec(said);
    if (!row) throw new Error(`the benchmark of ${ref} said nothing of a gateway:\n${said}`);
    return { megabytes: Number(row[1]), cpu: Number(row[2]) };
  } finally {
    git('remove', '--force', directory);
    fs.rmSync(path.dirname(directory), { recursive: true, force: true });
  }
}
