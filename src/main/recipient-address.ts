import * as path from 'node:path';
import type { Clock } from '../base/index.ts';
import { addressMeant, projectOf, readManifestFacts, sessionPaths } from '../session/index.ts';
import { VARIABLE } from '../wire/houmao/index.ts';

interface Caller {
  env: NodeJS.ProcessEnv;
  clock: Clock;
  /** ROUSE_HOME. */
  home: string;
  sessionRoot: string;
}

/** The mail address of a recipient as the agent of this session calls it: as on the command line in its project. */
export async function recipientAddress(
  to: string,
  { env, clock, home, sessionRoot }: Caller,
): Promise<string> {
  if (to.includes('@')) return to;
  const { membersAt } = await import('../config/index.ts');
  const { directory } = projectOf(readManifestFacts(sessionPaths(sessionRoot).manifest));
  const members = await membersAt({ env, cwd: directory, home });
  const settings = {
    runtimeDir: env[VARIABLE.runtimeDir] || path.join(home, 'runtime'),
    mailboxDir: env[VARIABLE.mailboxDir] || path.join(home, 'mailbox'),
    registryDir: env[VARIABLE.registryDir] || path.join(home, 'registry'),
    tmuxSocket: undefined,
  };
  return addressMeant({ settings, env, clock, here: { directory, members } }, to);
}
