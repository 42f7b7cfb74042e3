import type { Command, Input, Output } from '../command.ts';
import { COMPAT, MAILBOX, open, room } from './input.ts';

async function lockPath(input: Input): Promise<Output> {
  const { compatLockPath, ensureLockDirectory } = await room();
  const { paths } = await open(input);
  ensureLockDirectory(paths);
  const compat = compatLockPath(paths);
  const data = { mailbox: paths.mailbox, lock_path: paths.lock, compat_lock_path: compat };
  return { data, plain: input.flags['compatLock'] === true ? `${paths.lock}\n${compat}` : paths.lock };
}

export const mailfileLockPath: Command = {
  name: 'lock-path',
  summary: 'print the lock of a mailbox, for scripts that use flock(1)',
  examples: ['flock -w 30 "$(rouse mailfile lock-path --mailbox .agent/inbox.md)" ./edit-inbox.sh'],
  flags: [MAILBOX, COMPAT],
  run: lockPath,
};
