import { execFileSync } from 'node:child_process';
import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';

export interface OlderTree {
  directory: string;
  /** The environment for programs of that tree, so they use their own parts. */
  env: NodeJS.ProcessEnv;
  remove(): void;
}

/** An older commit in a separate work tree. */
export function olderTree(ref: string): OlderTree {
  const root = process.env['ROUSE_ROOT']!;
  const directory = path.join(fs.mkdtempSync(path.join(os.tmpdir(), 'rouse-older-')), 'tree');
  const git = (...words: string[]): void => {
    execFileSync('git', ['-C', root, 'worktree', ...words], { stdio: 'ignore' });
  };
  git('add', '--detach', directory, ref);
  return {
    directory,
    env: { ...process.env, ROUSE_ROOT: directory, ROUSE_TEST_ROOT: directory },
    remove: () => {
      git('remove', '--force', directory);
      fs.rmSync(path.dirname(directory), { recursive: true, force: true });
    },
  };
}
