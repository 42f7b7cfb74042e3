import { useCallback, useMemo, useRef, useState } from 'react';
import { live, usePicture } from '../live/live.ts';
import type { Listed } from '../live/picture.ts';
import { goTo, useQueryWord, withQuery } from '../model/router.ts';
import { useStore } from '../model/store.ts';
import { Quiet } from '../parts/feedback.tsx';
import { type HeldRow, useHeld } from '../parts/held.ts';
import { useHolding } from '../parts/holding.ts';
import { Link } from '../parts/link.tsx';
import { NewRows } from '../parts/new-rows.tsx';
import { Plain } from '../parts/plain-text.tsx';
import { GROUPS, type Grouping, keepingOrder, SORTS, type Sort, sortedBy } from './agent-order.ts';
import { AgentRow } from './agent-row.tsx';
import { picked } from './picked.ts';
import { Picking } from './picking.tsx';

type State = Listed['state'];

/** The filter under which agents of each state are shown. */
const SHOWN_UNDER: Record<State, State> = {
  needs_you: 'needs_you',
  working: 'working',
  starting: 'working',
  waiting: 'waiting',
  not_watched: 'waiting',
  idle: 'idle',
  gone: 'gone',
  elsewhere: 'elsewhere',
};

const FILTERS: readonly { word: State | ''; label: string }[] = [
  { word: '', label: 'All' },
  { word: 'needs_you', label: 'Need you' },
  { word: 'working', label: 'Working' },
  { word: 'waiting', label: 'Waiting' },
  { word: 'idle', label: 'Idle' },
  { word: 'gone', label: 'Stopped' },
  { word: 'elsewhere', label: 'Other hosts' },
];

const idOf = ({ id }: Listed): string => id;
const NO_AGENTS: readonly Listed[] = [];

const chosen = <T extends string>(table: Record<T, unknown>, word: string | undefined, otherwise: T): T =>
  word !== undefined && Object.hasOwn(table, word) ? (word as T) : otherwise;

/** The choices of this list; all of them are in the address. */
function useChoices() {
  const state = useQueryWord('state') ?? '';
  const text = useQueryWord('q') ?? '';
  const sort: Sort = chosen(SORTS, useQueryWord('sort'), 'state');
  const group: Grouping = chosen(GROUPS, useQueryWord('group'), 'none');
  return { state, text, sort, group };
}

export function Agents() {
  const all = usePicture((picture) => picture.roll);
  const { state, text, sort, group } = useChoices();
  const under = FILTERS.find((filter) => filter.word === state)?.word ?? '';
  const wanted = useMemo(() => {
    const needle = text.trim().toLowerCase();
    if (!all) return undefined;
    return all
      .filter((row) => under === '' || SHOWN_UNDER[row.state] === under)
      .filter(({ name, tool, host }) => !needle || `${name} ${tool} ${host}`.toLowerCase().includes(needle));
  }, [all, under, text]);
  const { inOrder, isMoved, again } = useKeptOrder(wanted, `${sort} ${group} ${under} ${text}`, sort);
  const { rows, fresh, show } = useHeld(inOrder, useCallback(idOf, []));
  const list = useHolding<HTMLTableElement>();
  const isPicking = useStore(picked, (ids) => ids !== undefined);
  return (
    <section aria-labelledby="agents" className="card overflow-hidden">
      <header className="flex flex-wrap items-center gap-x-3 gap-y-1 px-4 py-2">
        <h2 id="agents" className="heading">
          Agents
        </h2>
        <Filters rows={all ?? NO_AGENTS} now={state} />
        <NewRows fresh={fresh} show={show} />
        {isMoved && (
          <button type="button" className="chip bg-accent-soft text-accent" onClick={again}>
            Sort again
          </button>
        )}
        <ListChoices sort={sort} group={group} text={text} />
        <Picking rows={rows} />
      </header>
      {/* Explicit roles: on a phone the style sheet turns the table into cards. */}
      {/* biome-ignore-start lint/a11y/noRedundantRoles: they would be lost with another display */}
      <table
        role="table"
        ref={list}
        className={`block w-full ${isPicking ? 'picking' : ''}`}
        aria-labelledby="agents"
      >
        <AgentsHead isPicking={isPicking} />
        {grouped(rows, group).map(([name, of]) => (
          <tbody key={name} role="rowgroup" className="block" aria-label={name || undefined}>
            {name !== '' && <GroupHead name={name} count={of.length} />}
            {of.map(({ row, isGone }) => (
              <AgentRow key={row.id} id={row.id} isGone={isGone} isPicking={isPicking} />
            ))}
          </tbody>
        ))}
      </table>
      {/* biome-ignore-end lint/a11y/noRedundantRoles: they would be lost with another display */}
      {rows.length === 0 && <NoAgents isFiltered={state !== '' || text !== ''} />}
    </section>
  );
}

/** Rows keep their places until the person sorts, filters or groups: a turn that begins or ends moves no row. */
function useKeptOrder(wanted: readonly Listed[] | undefined, choices: string, sort: Sort) {
  const kept = useRef<{ choices: string; order: readonly string[] }>(undefined);
  const [asked, setAsked] = useState(0);
  const key = `${choices} ${asked}`;
  const ideal = useMemo(() => {
    const whole = live.get().picture?.agents;
    const rows = (wanted ?? NO_AGENTS).flatMap(({ id }) => whole?.get(id) ?? []);
    return sortedBy(sort, rows).map(idOf);
  }, [wanted, sort]);
  if (wanted && kept.current?.choices !== key) kept.current = { choices: key, order: ideal };
  const order = kept.current?.order ?? ideal;
  const inOrder = useMemo(() => wanted && keepingOrder(wanted, order), [wanted, order]);
  const isMoved = inOrder?.some(({ id }, at) => id !== ideal[at]) ?? false;
  return { inOrder, isMoved, again: () => setAsked((times) => times + 1) };
}

function grouped(rows: readonly HeldRow<Listed>[], by: Grouping): [string, HeldRow<Listed>[]][] {
  const groups = new Map<string, HeldRow<Listed>[]>();
  for (const held of rows) {
    const name = GROUPS[by].of(held.row);
    groups.set(name, [...(groups.get(name) ?? []), held]);
  }
  return [...groups];
}

function GroupHead({ name, count }: { name: string; count: number }) {
  return (
    // biome-ignore-start lint/a11y/noRedundantRoles: they would be lost with another display
    <tr role="row" className="block border-b border-line bg-bg px-4 py-1">
      {/* biome-ignore lint/a11y/useSemanticElements: it would be lost with another display */}
      <th role="rowheader" scope="rowgroup" colSpan={HEAD.length} className="block text-left text-xs">
        <Plain text={name} /> <span className="digits font-normal text-muted">{count}</span>
      </th>
    </tr>
    // biome-ignore-end lint/a11y/noRedundantRoles: they would be lost with another display
  );
}

const replace = (change: Record<string, string | undefined>): void => goTo(withQuery(change), 'replace');

function ListChoices({ sort, group, text }: { sort: Sort; group: Grouping; text: string }) {
  return (
    <div className="ml-auto flex w-full flex-wrap gap-2 sm:w-auto">
      <select
        className="field w-auto flex-1 sm:flex-none"
        aria-label="Sort agents by"
        value={sort}
        onChange={({ target }) => replace({ sort: target.value === 'state' ? undefined : target.value })}
      >
        {Object.entries(SORTS).map(([word, { label }]) => (
          <option key={word} value={word}>
            By {label.toLowerCase()}
          </option>
        ))}
      </select>
      <select
        className="field w-auto flex-1 sm:flex-none"
        aria-label="Group agents by"
        value={group}
        onChange={({ target }) => replace({ group: target.value === 'none' ? undefined : target.value })}
      >
        {Object.entries(GROUPS).map(([word, { label }]) => (
          <option key={word} value={word}>
            {word === 'none' ? label : `Group: ${label.toLowerCase()}`}
          </option>
        ))}
      </select>
      <input
        type="search"
        value={text}
        onChange={({ target }) => replace({ q: target.value || undefined })}
        placeholder="Name, tool or host"
        aria-label="Show only agents whose name, tool or host contains"
        className="field w-full sm:w-44"
      />
    </div>
  );
}

const HEAD = [
  'State',
  'Agent',
  'Doing now',
  'Unread',
  'To answer',
  'Waiting for',
  'Queue',
  'Last wake',
  'Last hour',
] as const;

function AgentsHead({ isPicking }: { isPicking: boolean }) {
  return (
    // biome-ignore-start lint/a11y/noRedundantRoles: they would be lost with another display
    <thead
      role="rowgroup"
      className="block border-y border-line bg-bg text-2xs font-semibold text-muted max-md:sr-only"
    >
      <tr role="row" className="agent-row">
        {isPicking && (
          <th role="columnheader" scope="col">
            <span className="sr-only">Selected</span>
          </th>
        )}
        {HEAD.map((label) => (
          <th
            key={label}
            role="columnheader"
            scope="col"
            className={`truncate font-semibold ${/^(Un|To|Wa|Qu)/.test(label) ? 'text-right' : 'text-left'} ${label.startsWith('Last w') ? 'text-right' : ''}`}
          >
            {label === 'Last hour' ? 'Wakes ▲ turns ▼, 1 h' : label}
          </th>
        ))}
      </tr>
    </thead>
    // biome-ignore-end lint/a11y/noRedundantRoles: they would be lost with another display
  );
}

/** Counts per state; each is a link that filters by it. */
function Filters({ rows, now }: { rows: readonly Listed[]; now: string }) {
  return (
    <nav aria-label="Agents by state" className="flex flex-wrap gap-1">
      {FILTERS.map(({ word, label }) => {
        const count =
          word === '' ? rows.length : rows.filter(({ state }) => SHOWN_UNDER[state] === word).length;
        if (count === 0 && word !== '' && word !== now) return null;
        return (
          <Link
            key={label}
            href={withQuery({ state: word || undefined })}
            aria-current={word === now ? 'true' : undefined}
            className="chip text-muted hover:bg-sunken aria-[current]:bg-accent-soft aria-[current]:text-accent"
          >
            {label} <span className="digits">{count}</span>
          </Link>
        );
      })}
    </nav>
  );
}

function NoAgents({ isFiltered }: { isFiltered: boolean }) {
  if (isFiltered)
    return (
      <Quiet>
        No agents match.{' '}
        <button
          type="button"
          className="text-accent underline"
          onClick={() => goTo(withQuery({ state: undefined, q: undefined }))}
        >
          Clear filters
        </button>
      </Quiet>
    );
  return (
    <Quiet>
      No agents on this host yet. <code className="font-mono">rouse launch claude ana --wake</code> starts
      one.
    </Quiet>
  );
}
