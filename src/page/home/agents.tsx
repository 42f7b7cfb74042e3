import { useCallback, useMemo, useState } from 'react';
import { usePicture } from '../live/live.ts';
import type { Listed } from '../live/picture.ts';
import { goTo, useQueryWord, withQuery } from '../model/router.ts';
import { Quiet } from '../parts/feedback.tsx';
import { useHeld } from '../parts/held.ts';
import { useHolding } from '../parts/holding.ts';
import { Link } from '../parts/link.tsx';
import { NewRows } from '../parts/new-rows.tsx';
import { AgentRow } from './agent-row.tsx';

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

export function Agents() {
  const all = usePicture((picture) => picture.roll);
  const word = useQueryWord('state') ?? '';
  const [text, setText] = useState('');
  const under = FILTERS.find((filter) => filter.word === word)?.word ?? '';
  const wanted = useMemo(() => {
    const needle = text.trim().toLowerCase();
    if (!all) return undefined;
    return all
      .filter(({ state }) => under === '' || SHOWN_UNDER[state] === under)
      .filter(({ name, tool, host }) => !needle || `${name} ${tool} ${host}`.toLowerCase().includes(needle));
  }, [all, under, text]);
  const { rows, fresh, show } = useHeld(wanted, useCallback(idOf, []));
  const list = useHolding<HTMLTableSectionElement>();
  const clear = () => {
    setText('');
    goTo(withQuery({ state: undefined }));
  };
  return (
    <section aria-labelledby="agents" className="card overflow-hidden">
      <header className="flex flex-wrap items-center gap-x-3 gap-y-1 px-4 py-2">
        <h2 id="agents" className="heading">
          Agents
        </h2>
        <Filters rows={all ?? NO_AGENTS} now={word} />
        <NewRows fresh={fresh} show={show} />
        <input
          type="search"
          value={text}
          onChange={({ target }) => setText(target.value)}
          placeholder="Name, tool or host"
          aria-label="Show only agents whose name, tool or host contains"
          className="field ml-auto w-full sm:w-44"
        />
      </header>
      {/* Explicit roles: on a phone the style sheet turns the table into cards. */}
      {/* biome-ignore-start lint/a11y/noRedundantRoles: they would be lost with another display */}
      <table role="table" className="block w-full" aria-labelledby="agents">
        <AgentsHead />
        <tbody role="rowgroup" ref={list} className="block">
          {rows.map(({ row, isGone }) => (
            <AgentRow key={row.id} id={row.id} isGone={isGone} />
          ))}
        </tbody>
      </table>
      {/* biome-ignore-end lint/a11y/noRedundantRoles: they would be lost with another display */}
      {rows.length === 0 && <NoAgents isFiltered={word !== '' || text !== ''} clear={clear} />}
    </section>
  );
}

const HEAD = [
  'State',
  'Agent',
  'Doing now',
  'Unread',
  'To answer',
  'Waiting for',
  'Last wake',
  'Last hour',
] as const;

function AgentsHead() {
  return (
    // biome-ignore-start lint/a11y/noRedundantRoles: they would be lost with another display
    <thead
      role="rowgroup"
      className="block border-y border-line bg-bg text-2xs font-semibold text-muted max-md:sr-only"
    >
      <tr role="row" className="agent-row">
        {HEAD.map((label) => (
          <th
            key={label}
            role="columnheader"
            scope="col"
            className={`truncate font-semibold ${/^(Un|To|Wa)/.test(label) ? 'text-right' : 'text-left'} ${label.startsWith('Last w') ? 'text-right' : ''}`}
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

function NoAgents({ isFiltered, clear }: { isFiltered: boolean; clear: () => void }) {
  if (isFiltered)
    return (
      <Quiet>
        No agents match.{' '}
        <button type="button" className="text-accent underline" onClick={clear}>
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
