import * as os from 'node:os';
import * as path from 'node:path';
import { invalid, isRouseError, type RouseError } from '../base/index.ts';
import { type Checked, checkValues } from './check-values.ts';
import { parseToml } from './parse-toml.ts';
import { type CarefulFile, readCarefully } from './read-carefully.ts';
import { isTrusted } from './trust.ts';

export const PROJECT_FILE = '.rouse.toml';

/** refused: it is not read at all, for the reason given. */
export type ProjectState = 'trusted' | 'untrusted' | 'changed' | 'refused';

export interface ConfigFile {
  path: string;
  file: CarefulFile | undefined;
  checked: Checked | undefined;
}

export interface Config {
  /** One's own file; it may not be there. */
  own: ConfigFile;
  /** The nearest project's file, obeyed or not. */
  project: (ConfigFile & { state: ProjectState; problem: RouseError | undefined }) | undefined;
}

export interface ConfigPlace {
  env: NodeJS.ProcessEnv;
  cwd: string;
  /** ROUSE_HOME, where it is kept what is trusted. */
  home: string;
}

/** Reads both files. One's own that is wrong is thrown; so is a project's that is trusted. */
export function loadConfig({ env, cwd, home }: ConfigPlace): Config {
  if (env['ROUSE_CONFIG'] === 'none')
    return { own: { path: 'none', file: undefined, checked: undefined }, project: undefined };
  const person = env['HOME'] || os.homedir();
  const ownPath = ownConfigPath(env, person);
  const file = readCarefully(ownPath, { links: 'followed' });
  const checked = file && checkFile(file, { byProject: false, person });
  return { own: { path: ownPath, file, checked }, project: loadProject(cwd, home, person) };
}

export function checkFile(
  file: CarefulFile,
  { byProject, person }: { byProject: boolean; person: string },
): Checked {
  return checkValues(parseToml(file), { directory: path.dirname(file.path), byProject, home: person });
}

function ownConfigPath(env: NodeJS.ProcessEnv, person: string): string {
  const given = env['ROUSE_CONFIG'];
  if (given) {
    if (path.isAbsolute(given)) return path.normalize(given);
    throw invalid(`ROUSE_CONFIG must be an absolute path or "none", but is "${given}"`);
  }
  const base = env['XDG_CONFIG_HOME'];
  // As the specification wants it: a relative one counts for nothing.
  return path.join(
    base && path.isAbsolute(base) ? base : path.join(person, '.config'),
    'rouse',
    'config.toml',
  );
}

function loadProject(cwd: string, home: string, person: string): Config['project'] {
  for (const directory of upwards(cwd)) {
    const at = path.join(directory, PROJECT_FILE);
    const file = readOrProblem(at);
    if (file === undefined) continue;
    if (isRouseError(file))
      return { path: at, file: undefined, checked: undefined, state: 'refused', problem: file };
    const state = isTrusted(home, file);
    const checked = state === 'trusted' ? checkFile(file, { byProject: true, person }) : undefined;
    return { path: at, file, checked, state, problem: undefined };
  }
  return undefined;
}

/** What lies in the way of a project's file keeps no command from running. */
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
