import { invalid } from '../base/index.ts';

/**
 * The grammar of every name that one party chooses and another sees, in a list, a command line or a file name: agents,
 * people, hosts, orgs, sessions. Checked on every input. Rows of older versions may have others, and are shown quoted.
 */
const NAMES = {
  agent: {
    grammar: /^[A-Za-z0-9][A-Za-z0-9_-]*$/,
    allowed: 'ASCII letters, digits, "_" and "-", beginning with a letter or digit',
  },
  session: {
    grammar: /^[A-Za-z0-9][A-Za-z0-9._:@-]*$/,
    allowed: 'ASCII letters, digits, ".", "_", ":", "@" and "-", beginning with a letter or digit',
  },
  person: {
    grammar: /^[\p{L}\p{N}][\p{L}\p{M}\p{N} ._@+-]*$/u,
    allowed: 'letters, digits, spaces, ".", "_", "@", "+" and "-", beginning with a letter or digit',
  },
  host: {
    grammar: /^[\p{L}\p{N}][\p{L}\p{M}\p{N} ._-]*$/u,
    allowed: 'letters, digits, spaces, ".", "_" and "-", beginning with a letter or digit',
  },
  org: {
    grammar: /^[a-z0-9][a-z0-9_-]{0,62}$/,
    allowed: 'lower-case letters, digits, "-" and "_", at most 63',
  },
};

export type NameKind = keyof typeof NAMES;

export function isName(kind: NameKind, text: string): boolean {
  return NAMES[kind].grammar.test(text);
}

/** For errors: what such a name may contain. */
export function allowedIn(kind: NameKind): string {
  return NAMES[kind].allowed;
}

const MAX_HOST_NAME_LENGTH = 200;

/**
 * The name of a host: `ROUSE_HOST_NAME` if set, else the system's name. Characters that a name may not have become "-".
 * Only for people; nothing is decided by it.
 */
export function hostNameOf(chosen: string | undefined, system: string): string {
  const typed = chosen?.trim() ?? '';
  if (typed.length > MAX_HOST_NAME_LENGTH || /[\p{Cc}\p{Zl}\p{Zp}]/u.test(typed))
    throw invalid(`ROUSE_HOST_NAME must be one line of at most ${MAX_HOST_NAME_LENGTH} characters`);
  const name = (typed || system.slice(0, MAX_HOST_NAME_LENGTH)).replaceAll(/[^\p{L}\p{M}\p{N} ._-]/gu, '-');
  return name.replace(/^[^\p{L}\p{N}]+/u, '') || 'localhost';
}
