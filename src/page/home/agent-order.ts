import type { PageAgentRow } from '../../wire/index.ts';

type Row = PageAgentRow;
type Named = Pick<Row, 'host' | 'tool'>;

/** By what the list can be sorted. Within the same value, by name. */
export const SORTS = {
  state: { label: 'State', by: undefined },
  name: { label: 'Name', by: () => 0 },
  unread: { label: 'Unread', by: (row: Row) => -(row.unread ?? 0) },
  owes: { label: 'To answer', by: (row: Row) => -row.owes },
  queue: { label: 'Queue', by: (row: Row) => -row.queue_depth },
  wake: { label: 'Last wake', by: (row: Row) => -timeOf(row.last_wake_utc) },
  changed: { label: 'Last change', by: (row: Row) => -timeOf(row.state_since_utc) },
} as const satisfies Record<string, { label: string; by: ((row: Row) => number) | undefined }>;

export type Sort = keyof typeof SORTS;

const timeOf = (utc: string | null): number => (utc === null ? 0 : Date.parse(utc) || 0);
const byName = new Intl.Collator('en', { numeric: true }).compare;

/** `rows` come sorted by state; that order is kept for `state`. */
export function sortedBy(sort: Sort, rows: readonly Row[]): readonly Row[] {
  const { by } = SORTS[sort];
  return by ? [...rows].sort((a, b) => by(a) - by(b) || byName(a.name, b.name)) : rows;
}

/** By what the list can be grouped. */
export const GROUPS = {
  none: { label: 'No groups', of: () => '' },
  host: { label: 'Host', of: (row: Named) => row.host },
  tool: { label: 'Tool', of: (row: Named) => row.tool },
} as const satisfies Record<string, { label: string; of: (row: Named) => string }>;

export type Grouping = keyof typeof GROUPS;

/** The rows as they were ordered before; new ones after them, as they are sorted. */
export function keepingOrder<T extends { id: string }>(rows: readonly T[], order: readonly string[]): T[] {
  const rest = new Map(rows.map((row) => [row.id, row]));
  const kept = order.flatMap((id) => {
    const row = rest.get(id);
    rest.delete(id);
    return row ? [row] : [];
  });
  return [...kept, ...rest.values()];
}
