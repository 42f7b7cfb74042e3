import type { PageAgentRow, PageChange, PageCounts, PageNeed, PageSnapshot } from '../../wire/index.ts';

/** The last known state of the whole host. A row that did not change stays the same object. */
export interface Picture {
  seq: number;
  epoch: string;
  host: string;
  agents: ReadonlyMap<string, PageAgentRow>;
  /** The most urgent first. The same array until an agent is added, removed or changes state. */
  roll: readonly Listed[];
  /** Without those of muted agents. */
  needs: readonly PageNeed[];
  /** Of every agent. */
  allNeeds: readonly PageNeed[];
  /** The state in which the person muted each agent, by id. */
  muted: ReadonlyMap<string, string>;
  /** Those that are still in that state. */
  mutedIds: ReadonlySet<string>;
  counts: PageCounts;
  troubles: readonly string[];
}

/** The fields by which agents are sorted and filtered. The rest of a row changes without the list. */
export type Listed = Pick<PageAgentRow, 'id' | 'name' | 'state' | 'tool' | 'host'>;

const ORDER: Record<Listed['state'], number> = {
  needs_you: 0,
  waiting: 1,
  working: 2,
  starting: 3,
  idle: 4,
  not_watched: 5,
  gone: 6,
  elsewhere: 7,
};

const byName = new Intl.Collator('en').compare;
const rollOf = (rows: Iterable<Listed>): readonly Listed[] =>
  [...rows].sort((a, b) => ORDER[a.state] - ORDER[b.state] || byName(a.name, b.name));
const isListedAs = (a: Listed, b: Listed | undefined): boolean =>
  b !== undefined && a.state === b.state && a.name === b.name && a.tool === b.tool && a.host === b.host;

export function pictureOf(snapshot: PageSnapshot): Picture {
  const { seq, epoch, host, agents, needs_you, counts, troubles, muted } = snapshot;
  return withMutes({
    seq,
    epoch,
    host,
    agents: new Map(agents.map((row) => [row.id, row])),
    roll: rollOf(agents),
    needs: needs_you,
    allNeeds: needs_you,
    muted: new Map(muted.map(({ id, state }) => [id, state])),
    mutedIds: NO_ONE,
    counts,
    troubles,
  });
}

const NO_ONE: ReadonlySet<string> = new Set();

/** What a mute lasts for: it is over once this differs. */
export const standingOf = ({ state, state_words, state_since_utc }: PageAgentRow): string =>
  `${state} ${state_since_utc} ${state_words}`.slice(0, 300);

/** Hides the needs of muted agents. The list stays the same array while nothing about it changes. */
function withMutes(picture: Picture): Picture {
  const { agents, allNeeds, muted } = picture;
  if (muted.size === 0) return { ...picture, needs: allNeeds, mutedIds: NO_ONE };
  const hidden = [...muted].flatMap(([id, state]) => {
    const row = agents.get(id);
    return row && standingOf(row) === state ? [row] : [];
  });
  const names = new Set<string | null>(hidden.map(({ name }) => name));
  const needs = allNeeds.filter(({ agent }) => !names.has(agent));
  const isSame =
    needs.length === picture.needs.length && needs.every((need, at) => need === picture.needs[at]);
  return { ...picture, needs: isSame ? picture.needs : needs, mutedIds: new Set(hidden.map(({ id }) => id)) };
}

/** Applies changes that the picture does not have yet. Rows are whole, and the newest wins. */
export function applyChanges(picture: Picture, changes: readonly PageChange[]): Picture {
  const fresh = changes.filter(({ seq }) => seq > picture.seq);
  if (fresh.length === 0) return picture;
  const touchesAgents = fresh.some(({ agents, removed }) => agents?.length || removed?.length);
  const agents = touchesAgents ? new Map(picture.agents) : (picture.agents as Map<string, PageAgentRow>);
  const next: Picture = { ...picture, agents };
  for (const change of fresh) {
    for (const row of change.agents ?? []) agents.set(row.id, row);
    for (const id of change.removed ?? []) agents.delete(id);
    if (change.needs_you) next.allNeeds = change.needs_you;
    if (change.counts) next.counts = change.counts;
    next.seq = Math.max(next.seq, change.seq);
  }
  const isSameRoll =
    agents.size === picture.agents.size &&
    fresh.every((change) =>
      (change.agents ?? []).every((row) => isListedAs(row, picture.agents.get(row.id))),
    );
  if (!isSameRoll) next.roll = rollOf(agents.values());
  return withMutes(next);
}

/** The row with that name, if there is one. */
export function rowNamed<R extends { name: string }>(
  rows: Iterable<R> | undefined,
  name: string,
): R | undefined {
  for (const row of rows ?? []) if (row.name === name) return row;
  return undefined;
}
