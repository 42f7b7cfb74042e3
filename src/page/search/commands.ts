import type { PageRight } from '../../domain/tables.ts';
import type { PageAgentRow } from '../../wire/index.ts';
import { DEED_NAMES, type DeedName, deedOf, phraseOf } from '../act/deeds.ts';
import type { IconName } from '../parts/icons.tsx';

/** Something that can be chosen by its words: a place, or an action on an agent. */
export type Command = { words: string; icon: IconName } & (
  | { href: string; right?: PageRight }
  | { deed: DeedName; row: PageAgentRow }
);

const PLACES: readonly (Command & { right?: PageRight })[] = [
  { words: 'home', icon: 'home', href: '/ui/' },
  { words: 'mail', icon: 'mail', href: '/ui/mail' },
  { words: 'new mail', icon: 'pen', href: '/ui/mail?write=new', right: 'write' },
  { words: 'requests', icon: 'request', href: '/ui/requests' },
  { words: 'reminders', icon: 'reminder', href: '/ui/reminders' },
];

const MAX_COMMANDS = 8;

interface Known {
  agents: Iterable<PageAgentRow>;
  muted: ReadonlySet<string>;
  rights: readonly PageRight[];
  /** The address of an agent's page. */
  pathOf: (name: string) => string;
}

/** Those whose words begin with the typed ones, in any order. Without any, the places. */
export function commandsFor(text: string, { agents, muted, rights, pathOf }: Known): readonly Command[] {
  const typed = text.toLowerCase().split(/\s+/).filter(Boolean);
  const places = PLACES.filter(({ right = 'view' }) => rights.includes(right));
  if (typed.length === 0) return places;
  const found: Command[] = places.filter(({ words }) => fits(words, typed));
  for (const row of agents) {
    const offered: Command[] = [
      { words: `open ${row.name}`, icon: 'home', href: pathOf(row.name) },
      ...DEED_NAMES.filter((name) => {
        const deed = deedOf(name);
        return rights.includes(deed.right) && deed.fits(row, muted.has(row.id));
      }).map((deed) => ({ words: phraseOf(deed, row.name), icon: deedOf(deed).icon, deed, row })),
    ];
    found.push(...offered.filter(({ words }) => fits(words, typed)));
  }
  // `resume ana` before `pause ana until resumed`.
  const begins = ({ words }: Command): boolean => words.toLowerCase().startsWith(typed.join(' '));
  return [...found.filter(begins), ...found.filter((each) => !begins(each))].slice(0, MAX_COMMANDS);
}

function fits(words: string, typed: readonly string[]): boolean {
  const parts = words.toLowerCase().split(' ');
  return typed.every((each) => parts.some((part) => part.startsWith(each)));
}
