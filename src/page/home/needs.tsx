import { useCallback, useMemo, useState } from 'react';
import { NEEDS } from '../../domain/tables.ts';
import type { PageNeed } from '../../wire/index.ts';
import { act } from '../act/acting.ts';
import { useRows } from '../act/use-rows.ts';
import { usePicture } from '../live/live.ts';
import { type HeldRow, useHeld } from '../parts/held.ts';
import { useHolding } from '../parts/holding.ts';
import { Icon } from '../parts/icons.tsx';
import { NewRows } from '../parts/new-rows.tsx';
import { Plain } from '../parts/plain-text.tsx';
import { NeedRow } from './need-row.tsx';
import { Receipts } from './receipt-list.tsx';

const keyOf = ({ key }: PageNeed): string => key;
const NONE: readonly PageNeed[] = [];

/** Which agents need a person, why, since when, and the one thing to do about it. */
export function Needs() {
  const needs = usePicture((picture) => picture.needs) ?? NONE;
  const { rows, fresh, show } = useHeld(needs, useCallback(keyOf, []));
  const list = useHolding<HTMLElement>();
  return (
    <section ref={list} aria-labelledby="needs" className="card overflow-hidden">
      <header className="flex h-10 items-center gap-2 px-4">
        <h1 id="needs" className="heading">
          Needs you
        </h1>
        {needs.length > 0 && (
          <span className="digits chip h-5 bg-need px-1.5 font-bold text-surface">{needs.length}</span>
        )}
        <NewRows fresh={fresh} show={show} />
      </header>
      <Receipts />
      {rows.length === 0 ? <NothingNeedsYou /> : null}
      {byKind(rows).map(([kind, of]) => (
        <Group key={kind} kind={kind} rows={of} />
      ))}
      <Muted />
    </section>
  );
}

/** What is hidden is counted, and shown again with one click. */
function Muted() {
  const mutedIds = usePicture((picture) => picture.mutedIds);
  const hidden = usePicture((picture) => picture.allNeeds.length - picture.needs.length) ?? 0;
  const rows = useRows(useMemo(() => [...(mutedIds ?? [])], [mutedIds]));
  if (rows.length === 0) return null;
  return (
    <p className="flex flex-wrap items-center gap-x-3 border-t border-line px-4 py-1 text-xs text-muted">
      <Icon name="muted" size={14} />
      <span>
        Muted: <Plain text={rows.map(({ name }) => name).join(', ')} />
        {hidden > 0 && ` (${hidden} hidden)`}
      </span>
      <button type="button" className="btn btn-bare text-xs" onClick={() => act('unmute', rows)}>
        Unmute
      </button>
    </p>
  );
}

function byKind(rows: readonly HeldRow<PageNeed>[]): [PageNeed['kind'], HeldRow<PageNeed>[]][] {
  const groups = new Map<PageNeed['kind'], HeldRow<PageNeed>[]>();
  for (const held of rows) groups.set(held.row.kind, [...(groups.get(held.row.kind) ?? []), held]);
  return [...groups];
}

/** Each kind shows its first rows, so that many of one kind never hide another. */
const AT_FIRST = 4;

function Group({ kind, rows }: { kind: PageNeed['kind']; rows: readonly HeldRow<PageNeed>[] }) {
  const [isWhole, setWhole] = useState(false);
  const shown = isWhole ? rows : rows.slice(0, AT_FIRST);
  const { words } = NEEDS[kind];
  return (
    <>
      <ul aria-label={words}>
        {shown.map(({ row, isGone }) => (
          <NeedRow key={row.key} need={row} isGone={isGone} />
        ))}
      </ul>
      {rows.length > AT_FIRST && (
        <button
          type="button"
          className="btn btn-bare m-1 ml-2 text-xs"
          aria-expanded={isWhole}
          onClick={() => setWhole(!isWhole)}
        >
          {isWhole ? 'Fewer' : `${rows.length - AT_FIRST} more`}: {words.toLowerCase()}
        </button>
      )}
    </>
  );
}

function NothingNeedsYou() {
  const counts = usePicture((picture) => picture.counts);
  return (
    <p className="flex items-center gap-2 border-t border-line px-4 py-3 text-muted">
      <span className="text-idle">
        <Icon name="check" />
      </span>
      Nothing needs you.{' '}
      {counts && counts.agents > 0 ? `${counts.working} working, ${counts.idle} idle.` : 'No agents yet.'}
    </p>
  );
}
