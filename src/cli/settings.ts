import * as os from 'node:os';
import * as path from 'node:path';
import { invalid } from '../base/index.ts';

/** Where things are kept and which tmux is spoken to. Read once from the environment, then passed down. */
export interface Settings {
  home: string;
  runtimeDir: string;
  mailboxDir: string;
  registryDir: string;
  /** A tmux socket name or path; undefined means tmux's own default. */
  tmuxSocket: string | undefined;
  /** The fleet server agents register with; undefined: with none. */
  fleet: { url: string; tokenFile: string } | undefined;
}

export function readSettings(env: NodeJS.ProcessEnv): Settings {
  const home = absolute(env, 'ROUSE_HOME') ?? path.join(env['HOME'] || os.homedir(), '.rouse');
  return {
    home,
    runtimeDir: absolute(env, 'HOUMAO_GLOBAL_RUNTIME_DIR') ?? path.join(home, 'runtime'),
    mailboxDir: absolute(env, 'HOUMAO_GLOBAL_MAILBOX_DIR') ?? path.join(home, 'mailbox'),
    registryDir: absolute(env, 'HOUMAO_GLOBAL_REGISTRY_DIR') ?? path.join(home, 'registry'),
    tmuxSocket: env['ROUSE_TMUX_SOCKET'] || undefined,
    fleet: fleetOf(env, home),
  };
}

function fleetOf(env: NodeJS.ProcessEnv, home: string): Settings['fleet'] {
  const url = env['ROUSE_FLEET_URL'];
  const tokenFile = absolute(env, 'ROUSE_FLEET_TOKEN_FILE') ?? path.join(home, 'server', 'admin-token');
  return url ? { url, tokenFile } : undefined;
}

function absolute(env: NodeJS.ProcessEnv, name: string): string | undefined {
  const value = env[name];
  if (!value) return undefined;
  if (!path.isAbsolute(value)) throw invalid(`${name} must be an absolute path, but is "${value}"`);
  return path.normalize(value);
}
