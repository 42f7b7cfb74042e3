import { invalid } from '../base/index.ts';

/**
 * The grammar of every name that one party gives and another one is shown, in a list, a command line or a file name: agents, people,
 * hosts, orgs, sessions. Asked at every door; rows of older versions may have others, and are shown quoted.
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

/** For an error: what such a name may have. */
export function allowedIn(kind: NameKind): string {
  return NAMES[kind].allowed;
}

const LONGEST_HOST = 200;

/**
 * What a host is called: as somebody said (`ROUSE_HOST_NAME`), else as the system says; what a name may not have becomes "-".
 * For people; nothing is decided by it.
 */
export function hostNameOf(said: string | undefined, system: string): string {
  const given = said?.trim() ?? '';
  if (given.length > LONGEST_HOST || /[\p{Cc}\p{Zl}\p{Zp}]/u.test(given))
    throw invalid(`ROUSE_HOST_NAME must be one line of at most ${LONGEST_HOST} characters`);
  const name = (given || system.slice(0, LONGEST_HOST)).replaceAll(/[^\p{L}\p{M}\p{N} ._-]/gu, '-');
  return name.replace(/^[^\p{L}\p{N}]+/u, '') || 'localhost';
}
