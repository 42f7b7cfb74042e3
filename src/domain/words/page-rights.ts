import { type CodeOf, codesOf } from './table.ts';

/** What a person may do on the page. Rights are independent. The words follow "may". */
export const PAGE_RIGHTS = {
  view: { words: 'look' },
  answer: { words: 'answer requests' },
  write: { words: 'write mail' },
  operate: { words: 'operate agents' },
  run: { words: 'start and stop agents' },
  admin: { words: 'administer the server' },
} as const satisfies Record<string, { words: string }>;

export type PageRight = CodeOf<typeof PAGE_RIGHTS>;

interface RoleRow {
  rights: readonly PageRight[];
  /** Shown after the person's name. */
  words: string;
}

/** Named sets of rights, for links and sessions. */
export const PAGE_ROLES = {
  view: { rights: ['view'], words: 'may look' },
  answer: { rights: ['view', 'answer', 'write'], words: 'may answer requests and write mail' },
  operate: { rights: ['view', 'answer', 'write', 'operate'], words: 'may operate agents' },
  run: {
    rights: ['view', 'answer', 'write', 'operate', 'run'],
    words: 'may operate, start and stop agents',
  },
} as const satisfies Record<string, RoleRow>;

export type PageRole = CodeOf<typeof PAGE_ROLES>;

export const rightsOf = (role: PageRole): readonly PageRight[] => PAGE_ROLES[role].rights;

/** The first role that has the right; undefined if none has. */
export const roleWith = (right: PageRight): PageRole | undefined =>
  codesOf(PAGE_ROLES).find((role) => rightsOf(role).includes(right));
