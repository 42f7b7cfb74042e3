import { command, type Flag, type InputOf, type Output } from '../command.ts';
import { COMPAT, flatfile, MAILBOX, open } from './input.ts';

async function lockPath(input: InputOf<typeof LOCK_PATH_FLAGS>): Promise<Output> {
  const { readyLock } = await flatfile();
  const { paths } = await open(input);
  const lock = readyLock(paths);
  const data = { mailbox: paths.mailbox, lock_path: lock, compat_lock_path: paths.seedLock };
  const both = input.flags.compatLock === true && paths.scoped;
  return { data, plain: both ? `${lock}\n${paths.seedLock}` : lock };
}

const LOCK_PATH_FLAGS = [MAILBOX, COMPAT] as const satisfies readonly Flag[];

export const mailfileLockPath = command({
  name: 'lock-path',
  summary: 'print the lock of a mailbox, for scripts that use flock(1)',
  examples: ['flock -w 30 "$(rouse mailfile lock-path --mailbox .agent/inbox.md)" ./edit-inbox.sh'],
  flags: LOCK_PATH_FLAGS,
  run: lockPath,
});
