import { useCallback, useState } from 'react';
import type { PageNeed } from '../../wire/index.ts';
import { usePicture } from '../live/live.ts';
import { agentPath, isOwnPlace } from '../model/router.ts';
import { Age } from '../parts/age.tsx';
import { CopyCommand } from '../parts/command-line.tsx';
import { useHeld } from '../parts/held.ts';
import { useHolding } from '../parts/holding.ts';
import { Icon, type IconName } from '../parts/icons.tsx';
import { Link } from '../parts/link.tsx';
import { NewRows } from '../parts/new-rows.tsx';
import { Plain } from '../parts/plain-text.tsx';

const KINDS: Record<PageNeed['kind'], { words: string; icon: IconName }> = {
  dialog: { words: 'Dialog', icon: 'keys' },
  trust: { words: 'Trust', icon: 'keys' },
  update: { words: 'Update', icon: 'keys' },
  logged_out: { words: 'Logged out', icon: 'stop' },
  usage_limit: { words: 'Usage limit', icon: 'pause' },
  failed: { words: 'Failed', icon: 'close' },
  uncertain: { words: 'Uncertain', icon: 'keyboard' },
  request: { words: 'Question', icon: 'request' },
  overdue: { words: 'Overdue', icon: 'reminder' },
  gateway_dead: { words: 'Gateway down', icon: 'state' },
  mail_loop: { words: 'Mail loop', icon: 'mail' },
  undecided: { words: 'Undecided', icon: 'request' },
  other: { words: 'Look', icon: 'wake' },
};

const AT_FIRST = 7;
const keyOf = ({ key }: PageNeed): string => key;
const NONE: readonly PageNeed[] = [];

/** Which agents need a person, why, since when, and the one thing to do about it. */
export function Needs() {
  const needs = usePicture((picture) => picture.needs) ?? NONE;
  const { rows, fresh, show } = useHeld(needs, useCallback(keyOf, []));
  const [isWhole, setWhole] = useState(false);
  const list = useHolding<HTMLElement>();
  const shown = isWhole ? rows : rows.slice(0, AT_FIRST);
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
      {rows.length === 0 ? <NothingNeedsYou /> : null}
      <ul>
        {shown.map(({ row, isGone }) => (
          <NeedRow key={row.key} need={row} isGone={isGone} />
        ))}
      </ul>
      {rows.length > shown.length && (
        <button type="button" className="btn btn-bare m-2" onClick={() => setWhole(true)}>
          {rows.length - shown.length} more
        </button>
      )}
    </section>
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

/** Without the name, which is shown before it. */
const whyOf = ({ agent, why }: PageNeed): string =>
  agent && why.startsWith(`${agent} `) ? why.slice(agent.length + 1) : why;

function NeedRow({ need, isGone }: { need: PageNeed; isGone: boolean }) {
  const { words, icon } = KINDS[need.kind];
  return (
    <li
      className={`grid grid-cols-[1fr_auto] items-center gap-x-3 gap-y-1.5 border-t border-line px-4 py-2 md:grid-cols-[8rem_1fr_5rem_10rem] ${isGone ? 'opacity-60' : ''}`}
    >
      <span className="flex items-center gap-1.5 font-semibold text-need">
        <Icon name={icon} size={15} />
        {words}
      </span>
      <span className="col-span-2 row-start-2 min-w-0 md:col-span-1 md:row-start-auto">
        {need.agent && (
          <Link href={agentPath(need.agent)} className="mr-2 font-semibold hover:underline">
            <Plain text={need.agent} />
          </Link>
        )}
        <Plain text={whyOf(need)} />
      </span>
      <Age utc={need.since_utc} className="text-right text-muted" />
      <span className="col-span-2 flex items-center gap-1 md:col-span-1 md:justify-end">
        {isGone ? (
          <span className="px-3 text-muted">settled</span>
        ) : (
          <Link
            data-row
            href={isOwnPlace(need.action.href) ? need.action.href : '/ui/'}
            className="btn btn-soft flex-1"
          >
            <Plain text={need.action.label} />
          </Link>
        )}
        {need.action.command && <CopyCommand command={need.action.command} />}
      </span>
    </li>
  );
}
