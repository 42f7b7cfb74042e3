import { NEEDS } from '../../domain/tables.ts';
import type { PageNeed } from '../../wire/index.ts';
import { plain } from '../model/plain.ts';
import { agentPath, goTo, isOwnPlace, useQueryWord, withQuery } from '../model/router.ts';
import { Age } from '../parts/age.tsx';
import { CopyCommand } from '../parts/command-line.tsx';
import { Icon, type IconName } from '../parts/icons.tsx';
import { late } from '../parts/late.tsx';
import { Link } from '../parts/link.tsx';
import { Plain } from '../parts/plain-text.tsx';

/** Loaded when the first row is opened. */
const NeedInPlace = late(() => import('./need-in-place.tsx'));

const ICONS: Record<PageNeed['kind'], IconName> = {
  dialog: 'keys',
  trust: 'keys',
  update: 'keys',
  logged_out: 'stop',
  usage_limit: 'pause',
  failed: 'close',
  uncertain: 'keyboard',
  request: 'request',
  overdue: 'reminder',
  mail: 'mail',
  tool_gone: 'close',
  gateway_dead: 'state',
  mail_loop: 'mail',
  undecided: 'request',
  other: 'wake',
};

/** Without the name, which is shown before it. */
const whyOf = ({ agent, why }: PageNeed): string =>
  agent && why.startsWith(`${agent} `) ? why.slice(agent.length + 1) : why;

/** One row. What can be settled in place opens below it; one row is open at a time, and the address says which. */
export function NeedRow({ need, isGone }: { need: PageNeed; isGone: boolean }) {
  const isOpen = useQueryWord('need') === need.key && !isGone;
  return (
    <li className={`border-t border-line ${isGone ? 'opacity-60' : ''}`}>
      <div className="grid grid-cols-[1fr_auto] items-center gap-x-3 gap-y-1.5 px-4 py-2 md:grid-cols-[8rem_1fr_5rem_10rem]">
        <span className="flex items-center gap-1.5 font-semibold text-need">
          <Icon name={ICONS[need.kind]} size={15} />
          {NEEDS[need.kind].words}
        </span>
        <span className="col-span-2 row-start-2 min-w-0 md:col-span-1 md:row-start-auto">
          {need.agent && (
            <Link href={agentPath(need.agent)} className="mr-2 font-semibold hover:underline">
              <Plain text={need.agent} />
            </Link>
          )}
          <Plain text={whyOf(need)} />
          {need.priority > 0 && (
            <span className="chip ml-2 h-4 bg-need-soft px-1.5 text-2xs text-need">
              priority {need.priority}
            </span>
          )}
        </span>
        <Age utc={need.since_utc} className="text-right text-muted" />
        <span className="col-span-2 flex items-center gap-1 md:col-span-1 md:justify-end">
          {isGone ? <span className="px-3 text-muted">settled</span> : <Deed need={need} isOpen={isOpen} />}
          {need.action.command && <CopyCommand command={need.action.command} />}
        </span>
      </div>
      {isOpen && (
        <div id="need-in-place">
          <NeedInPlace need={need} />
        </div>
      )}
    </li>
  );
}

/** A button that opens the row, or a link to where the matter is settled. */
function Deed({ need, isOpen }: { need: PageNeed; isOpen: boolean }) {
  const { action, agent, key, kind } = need;
  const about = agent ? plain(`${action.label} ${agent}`) : undefined;
  if (NEEDS[kind].inPlace === null)
    return (
      <Link
        data-row
        href={isOwnPlace(action.href) ? action.href : '/ui/'}
        aria-label={about}
        className="btn btn-soft flex-1"
      >
        <Plain text={action.label} />
      </Link>
    );
  return (
    <button
      type="button"
      data-row
      aria-expanded={isOpen}
      aria-controls={isOpen ? 'need-in-place' : undefined}
      aria-label={isOpen ? undefined : about}
      className="btn btn-soft flex-1"
      onClick={() => goTo(withQuery({ need: isOpen ? undefined : key }), 'replace')}
    >
      {isOpen ? 'Close' : <Plain text={action.label} />}
    </button>
  );
}
