import { type ChildProcess, spawn } from 'node:child_process';
import * as fs from 'node:fs';

export interface Account {
  uid: number;
  gid: number;
}

const SETPRIV = ['/usr/bin/setpriv', '/bin/setpriv'].find((file) => fs.existsSync(file));

/** A server under another account. If setpriv is installed, the kernel ends it when this process dies without stopping it. */
export function spawnDyingWithUs(
  command: readonly string[],
  { cwd, account }: { cwd: string; account: Account | undefined },
): ChildProcess {
  const stdio: ['ignore', 'ignore', 'pipe'] = ['ignore', 'ignore', 'pipe'];
  const [program = '', ...args] = command;
  if (!SETPRIV) return spawn(program, args, { ...account, cwd, stdio });
  const identity = account ? [`--reuid=${account.uid}`, `--regid=${account.gid}`, '--clear-groups'] : [];
  return spawn(SETPRIV, [...identity, '--pdeathsig=INT', ...command], { cwd, stdio });
}
