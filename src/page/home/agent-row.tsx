import { memo, useEffect, useRef } from 'react';
import type { PageAgentRow } from '../../wire/index.ts';
import { usePicture } from '../live/live.ts';
import { plain } from '../model/plain.ts';
import { agentPath } from '../model/router.ts';
import { useStore } from '../model/store.ts';
import { toolWords } from '../model/tool-words.ts';
import { Age } from '../parts/age.tsx';
import { HourChart } from '../parts/hour-chart.tsx';
import { Link } from '../parts/link.tsx';
import { PausedChip } from '../parts/paused-chip.tsx';
import { Plain } from '../parts/plain-text.tsx';
import { StateMark } from '../parts/state-mark.tsx';
import { pick, picked } from './picked.ts';

interface Props {
  id: string;
  /** It is no longer in the list, and is shown as it was. */
  isGone: boolean;
  isPicking: boolean;
}

/** One agent on one line; on a phone, on three. The name is a link over the whole row. Each row renders by itself. */
export const AgentRow = memo(function AgentRow({ id, isGone, isPicking }: Props) {
  const now = usePicture(({ agents }) => agents.get(id));
  const isMuted = usePicture(({ mutedIds }) => mutedIds.has(id)) ?? false;
  const last = useRef(now);
  const row = now ?? last.current;
  useEffect(() => {
    last.current = row;
  }, [row]);
  if (!row) return null;
  return (
    // biome-ignore-start lint/a11y/noRedundantRoles: they would be lost with another display
    <tr
      role="row"
      data-agent={row.name}
      className={`agent-row agent-card relative border-b border-line last:border-b-0 hover:bg-bg ${isGone ? 'opacity-50' : ''}`}
    >
      {isPicking && <Pick id={id} name={row.name} />}
      <td role="cell" className="flex min-w-0 items-center gap-2 [grid-area:state]">
        <StateMark state={row.state} words={row.state_words} />
        <Age utc={row.state_since_utc} className="text-xs text-muted" />
      </td>
      <td
        role="cell"
        className="flex min-w-0 items-center gap-x-2 [grid-area:name] max-md:flex-wrap max-md:pr-24"
      >
        <Link
          data-row
          href={agentPath(row.name)}
          title={plain(row.name)}
          className={`shrink-0 truncate font-semibold max-md:max-w-full max-md:whitespace-normal ${row.done_unseen ? 'max-w-[calc(100%-5.5rem)]' : 'max-w-full'} after:absolute after:inset-0 focus-visible:outline-offset-[-1px]`}
        >
          <Plain text={row.name} />
        </Link>
        <span className="min-w-0 truncate text-xs text-muted">
          <Plain text={row.here ? toolWords(row) : `${row.tool} on ${row.host}`} />
        </span>
        <PausedChip paused={row.paused} />
        {isMuted && <span className="chip h-4 shrink-0 bg-gone-soft px-1.5 text-2xs text-gone">muted</span>}
        {row.done_unseen && (
          <span className="chip h-4 shrink-0 bg-idle-soft px-1.5 text-2xs text-idle">● new result</span>
        )}
      </td>
      <td
        role="cell"
        className={`min-w-0 truncate text-muted [grid-area:doing] ${isSilent(row) ? 'max-md:hidden' : ''}`}
      >
        <Doing row={row} />
      </td>
      <Count label="unread" count={row.unread} area="unread" />
      <Count label="to answer" count={row.owes} area="owes" />
      <Count label="waiting for" count={row.owed} area="owed" />
      <Count label="queued" count={row.queue_depth} area="queue" />
      <td role="cell" className="digits text-right text-muted [grid-area:wake] max-md:hidden">
        {row.last_wake_utc ? <Age utc={row.last_wake_utc} /> : <span aria-hidden="true">–</span>}
      </td>
      <td
        role="cell"
        className="min-w-0 [grid-area:chart] max-md:absolute max-md:top-2 max-md:right-4 max-md:w-20"
      >
        <HourChart hour={row.last_hour} height={26} />
      </td>
    </tr>
    // biome-ignore-end lint/a11y/noRedundantRoles: they would be lost with another display
  );
});

function Pick({ id, name }: { id: string; name: string }) {
  const isPicked = useStore(picked, (ids) => ids?.has(id) ?? false);
  return (
    // biome-ignore lint/a11y/noRedundantRoles: it would be lost with another display
    <td role="cell" className="relative z-10 [grid-area:pick]">
      {/* The whole cell can be clicked. */}
      <label className="grid size-8 -translate-x-2 cursor-pointer place-items-center">
        <input
          type="checkbox"
          className="size-4 accent-accent"
          checked={isPicked}
          onChange={({ target }) => pick(id, target.checked)}
          aria-label={plain(`Select ${name}`)}
        />
      </label>
    </td>
  );
}

const isSilent = ({ needs_you, doing_now, reason }: PageAgentRow): boolean =>
  !needs_you && !doing_now && !reason;

function Doing({ row }: { row: PageAgentRow }) {
  if (row.needs_you) return <Plain text={row.needs_you} />;
  if (row.doing_now)
    return (
      <span className="text-ink">
        <Plain text={row.doing_now} />
      </span>
    );
  return row.reason ? <Plain text={row.reason} /> : <span aria-hidden="true">–</span>;
}

/** Zero is a dash that screen readers skip; other counts are bold. */
function Count({
  label,
  count,
  area,
}: {
  label: string;
  count: number | null;
  area: 'unread' | 'owes' | 'owed' | 'queue';
}) {
  const place = {
    unread: '[grid-area:unread]',
    owes: '[grid-area:owes]',
    owed: '[grid-area:owed]',
    queue: '[grid-area:queue]',
  }[area];
  return (
    <td
      // biome-ignore lint/a11y/noRedundantRoles: it would be lost with another display
      role="cell"
      className={`digits text-right ${place} ${count ? 'font-semibold' : 'text-muted max-md:hidden'}`}
    >
      {count ? (
        <>
          {count}
          <span className="ml-1 font-normal text-muted md:hidden">{label}</span>
        </>
      ) : (
        <span aria-hidden="true">–</span>
      )}
    </td>
  );
}
