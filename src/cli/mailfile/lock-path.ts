import { command, type Flag, type InputOf, type Output } from '../command.ts';
import { COMPAT, MAILBOX, open, room } from './input.ts';

async function lockPath(input: InputOf<typeof LOCK_PATH_FLAGS>): Promise<Output> {
  const { compatLockPath, ensureLockDirectory } = await room();
  const { paths } = await open(input);
  ensureLockDirectory(paths);
  const compat = compatLockPath(paths);
  const data = { mailbox: paths.mailbox, lock_path: paths.lock, compat_lock_path: compat };
  return { data, plain: input.flags.compatLock === true ? `${paths.lock}\n${compat}` : paths.lock };
}

const LOCK_PATH_FLAGS = [MAILBOX, COMPAT] as const satisfies readonly Flag[];

export const mailfileLockPath = command({
  name: 'lock-path',
  summary: 'print the lock of a mailbox, for scripts that use flock(1)',
  examples: ['flock -w 30 "$(rouse mailfile lock-path --mailbox .agent/inbox.md)" ./edit-inbox.sh'],
  flags: LOCK_PATH_FLAGS,
  run: lockPath,
});
