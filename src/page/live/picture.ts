import type { PageAgentRow, PageChange, PageCounts, PageNeed, PageSnapshot } from '../../wire/index.ts';

/** The last known state of the whole host. A row that did not change stays the same object. */
export interface Picture {
  seq: number;
  epoch: string;
  host: string;
  agents: ReadonlyMap<string, PageAgentRow>;
  /** The most urgent first. The same array until an agent is added, removed or changes state. */
  roll: readonly Listed[];
  needs: readonly PageNeed[];
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
  const { seq, epoch, host, agents, needs_you, counts, troubles } = snapshot;
  return {
    seq,
    epoch,
    host,
    agents: new Map(agents.map((row) => [row.id, row])),
    roll: rollOf(agents),
    needs: needs_you,
    counts,
    troubles,
  };
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
    if (change.needs_you) next.needs = change.needs_you;
    if (change.counts) next.counts = change.counts;
    next.seq = Math.max(next.seq, change.seq);
  }
  const isSameRoll =
    agents.size === picture.agents.size &&
    fresh.every((change) =>
      (change.agents ?? []).every((row) => isListedAs(row, picture.agents.get(row.id))),
    );
  if (!isSameRoll) next.roll = rollOf(agents.values());
  return next;
}

/** The row with that name, if there is one. */
export function rowNamed<R extends { name: string }>(
  rows: Iterable<R> | undefined,
  name: string,
): R | undefined {
  for (const row of rows ?? []) if (row.name === name) return row;
  return undefined;
}
