import { NAME_PREFIX } from '../wire/houmao/index.ts';

/** The file in a project's directory that makes it one. */
export const PROJECT_FILE = '.rouse.toml';

/** Where agents work together. Its directory identifies it; two projects may have one name. */
export interface Project {
  name: string;
  directory: string;
}

/** So that the name of an agent fits behind it. */
const MAX_LENGTH = 32;
const RESERVED = new RegExp(`^${NAME_PREFIX}(?:[-_]|$)`, 'i');

/** The name of the project in a directory: the directory's own, in letters that an agent's name may have. */
export function projectName(directory: string): string {
  const base = directory.slice(directory.lastIndexOf('/') + 1);
  const letters = base
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[^A-Za-z0-9_-]+/g, '-')
    .slice(0, MAX_LENGTH)
    .replace(/^[-_]+|[-_]+$/g, '');
  if (letters === '') return 'project';
  return RESERVED.test(letters) ? `in-${letters}` : letters;
}

/** An agent as a person calls it: `ana`, or `app/ana` for the one of a project. */
export interface Called {
  project: string | undefined;
  name: string;
}

/** The parts of `app/ana`. */
export function parseCalled(text: string): Called {
  const slash = text.lastIndexOf('/');
  return slash === -1
    ? { project: undefined, name: text }
    : { project: text.slice(0, slash), name: text.slice(slash + 1) };
}

export const calledIn = ({ name: project }: Pick<Project, 'name'>, name: string): string =>
  `${project}/${name}`;

/** The name of an agent that is unique on the machine, where its short name is in use. */
export const nameInProject = ({ name: project }: Pick<Project, 'name'>, name: string): string =>
  `${project}-${name}`;
