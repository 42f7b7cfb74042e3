import * as fs from 'node:fs';
import * as path from 'node:path';
import { invalid } from '../base/index.ts';
import type { ServerAddress } from './exec.ts';

/** The server a setting names: a path when it has a slash, a name in tmux's socket directory otherwise. */
export function parseSocket(setting: string | undefined): ServerAddress {
  if (setting === undefined || setting === '') return {};
  if (/[\u0000-\u001f]/.test(setting))
    throw invalid('a tmux socket must be one line without control characters');
  if (!setting.includes('/')) return { socketName: setting };
  if (!setting.startsWith('/')) {
    throw invalid(`tmux socket ${JSON.stringify(setting)} is a relative path`, {
      hint: 'Use an absolute path, or a name without a slash.',
    });
  }
  return { socketPath: setting };
}

const DEFAULT_NAME = 'default';
const DIRECTORY = `tmux-${process.getuid?.() ?? 0}`;

/** The path of the socket of a setting. A name is looked up as tmux does; no setting means the caller's default. */
export function socketPath(setting: string | undefined, env: NodeJS.ProcessEnv): string {
  const name = setting || DEFAULT_NAME;
  return name.includes('/') ? name : path.join(env['TMUX_TMPDIR'] || '/tmp', DIRECTORY, name);
}

/** The default server of everyone who has not set TMUX_TMPDIR. */
export const SHARED_SOCKET = socketPath(DEFAULT_NAME, {});

/** Whether this is the server that a plain `tmux` of this caller uses. */
export function isDefaultSocket(socket: string, env: NodeJS.ProcessEnv): boolean {
  return isSameSocket(socket, socketPath(DEFAULT_NAME, env));
}

/** Two spellings of one path are one server; the socket itself need not exist yet. */
export function isSameSocket(one: string, other: string): boolean {
  return one === other || resolved(one) === resolved(other);
}

function resolved(socket: string): string {
  try {
    return path.join(fs.realpathSync(path.dirname(socket)), path.basename(socket));
  } catch {
    return socket;
  }
}

/** Called before a server is started by path: tmux creates the directory only for a server started by name. */
export function makeSocketDirectory(socket: string): void {
  const directory = path.dirname(socket);
  if (path.basename(directory) !== DIRECTORY || fs.existsSync(directory)) return;
  fs.mkdirSync(directory, { recursive: true, mode: 0o700 });
}
