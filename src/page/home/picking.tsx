import { useMemo } from 'react';
import { DeedMenu } from '../act/deed-menu.tsx';
import { useRows } from '../act/use-rows.ts';
import type { Listed } from '../live/picture.ts';
import { useStore } from '../model/store.ts';
import type { HeldRow } from '../parts/held.ts';
import { picked } from './picked.ts';

/** Selects agents of the list as it is filtered, and acts on those that are selected. */
export function Picking({ rows }: { rows: readonly HeldRow<Listed>[] }) {
  const ids = useStore(picked);
  const chosen = useRows(useMemo(() => [...(ids ?? [])], [ids]));
  if (!ids)
    return (
      <button type="button" className="btn" onClick={() => picked.set(new Set())}>
        Select
      </button>
    );
  const all = rows.map(({ row }) => row.id);
  const isAll = all.length > 0 && all.every((id) => ids.has(id));
  return (
    <section aria-label="Selected agents" className="flex w-full flex-wrap items-center gap-2">
      <span className="digits font-semibold" role="status">
        {chosen.length} selected
      </span>
      <button type="button" className="btn btn-bare" onClick={() => picked.set(new Set(isAll ? [] : all))}>
        {isAll ? 'Select none' : `Select all ${all.length}`}
      </button>
      {chosen.length > 0 && <DeedMenu rows={chosen} label={`Actions on ${chosen.length} agents`} />}
      <button type="button" className="btn btn-bare ml-auto" onClick={() => picked.set(undefined)}>
        Done selecting
      </button>
    </section>
  );
}
