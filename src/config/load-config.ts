import * as os from 'node:os';
import * as path from 'node:path';
import { invalid, isRouseError, type RouseError } from '../base/index.ts';
import { PROJECT_FILE } from '../domain/project.ts';
import type { Checked } from './check-values.ts';
import { type CarefulFile, readCarefully } from './read-carefully.ts';
import { isTrusted } from './trust.ts';

/** refused: it is not read at all; `problem` has the reason. */
export type ProjectState = 'trusted' | 'untrusted' | 'changed' | 'refused';

export interface ConfigFile {
  path: string;
  file: CarefulFile | undefined;
  checked: Checked | undefined;
}

export interface Config {
  /** The person's own file, which may not exist. */
  own: ConfigFile;
  /** The nearest project's file, trusted or not. */
  project: (ConfigFile & { state: ProjectState; problem: RouseError | undefined }) | undefined;
}

export interface ConfigPlace {
  env: NodeJS.ProcessEnv;
  cwd: string;
  /** ROUSE_HOME, which has the list of trusted files. */
  home: string;
}

/** Reads both files. Throws if the person's own file is wrong, or a trusted file of a project. */
export async function loadConfig({ env, cwd, home }: ConfigPlace): Promise<Config> {
  if (env['ROUSE_CONFIG'] === 'none')
    return { own: { path: 'none', file: undefined, checked: undefined }, project: undefined };
  const person = env['HOME'] || os.homedir();
  const ownPath = ownConfigPath(env, person);
  const file = readCarefully(ownPath, { links: 'followed' });
  const checked = file && (await check(file, { byProject: false, person }));
  return { own: { path: ownPath, file, checked }, project: await loadProject(cwd, home, person) };
}

/** The parser and the table of keys are loaded only if there is a file. */
async function check(...file: Parameters<typeof import('./check-file.ts').checkFile>): Promise<Checked> {
  return (await import('./check-file.ts')).checkFile(...file);
}

function ownConfigPath(env: NodeJS.ProcessEnv, person: string): string {
  const given = env['ROUSE_CONFIG'];
  if (given) {
    if (path.isAbsolute(given)) return path.normalize(given);
    throw invalid(`ROUSE_CONFIG must be an absolute path or "none", but is "${given}"`);
  }
  const base = env['XDG_CONFIG_HOME'];
  // The XDG specification says to ignore a relative path.
  return path.join(
    base && path.isAbsolute(base) ? base : path.join(person, '.config'),
    'rouse',
    'config.toml',
  );
}

async function loadProject(cwd: string, home: string, person: string): Promise<Config['project']> {
  for (const directory of upwards(cwd)) {
    const at = path.join(directory, PROJECT_FILE);
    const file = readOrProblem(at);
    if (file === undefined) continue;
    if (isRouseError(file))
      return { path: at, file: undefined, checked: undefined, state: 'refused', problem: file };
    const state = isTrusted(home, file);
    const checked = state === 'trusted' ? await check(file, { byProject: true, person }) : undefined;
    return { path: at, file, checked, state, problem: undefined };
  }
  return undefined;
}

/** A project's file that cannot be read must not stop any command, so its error is returned. */
function readOrProblem(at: string): CarefulFile | RouseError | undefined {
  try {
    return readCarefully(at, { links: 'refused' });
  } catch (error) {
    if (isRouseError(error)) return error;
    throw error;
  }
}

function* upwards(from: string): Generator<string> {
  for (let at = from; ; at = path.dirname(at)) {
    yield at;
    if (at === path.dirname(at)) return;
  }
}
