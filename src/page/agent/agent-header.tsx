import type { PageAgent } from '../../wire/index.ts';
import { DeedMenu } from '../act/deed-menu.tsx';
import { useLive } from '../live/live.ts';
import { rowNamed } from '../live/picture.ts';
import { serverNow } from '../model/clock.ts';
import { toolWords } from '../model/tool-words.ts';
import { Age, At, Until } from '../parts/age.tsx';
import { HourChart } from '../parts/hour-chart.tsx';
import { Icon } from '../parts/icons.tsx';
import { Link } from '../parts/link.tsx';
import { PausedChip } from '../parts/paused-chip.tsx';
import { Plain } from '../parts/plain-text.tsx';
import { StateChip } from '../parts/state-mark.tsx';

/** Name, state, and one sentence about why the agent does what it does. */
export function AgentHeader({ agent }: { agent: PageAgent }) {
  const live = useLive(({ picture }) => rowNamed(picture?.agents.values(), agent.row.name));
  const row = live ?? agent.row;
  return (
    <header className="card grid gap-x-6 gap-y-2 px-4 py-3 lg:grid-cols-[1fr_20rem]">
      <div className="min-w-0 space-y-1.5">
        <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
          <Link
            href="/ui/"
            className="btn btn-bare -ml-2 min-h-7 px-1 text-muted"
            aria-label="Back to all agents"
          >
            <Icon name="back" />
          </Link>
          <h1 className="text-lg leading-6 font-semibold tracking-tight">
            <Plain text={row.name} />
          </h1>
          <StateChip state={row.state} words={row.state_words} />
          <PausedChip paused={row.paused} />
          <Age utc={row.state_since_utc} before="for" className="text-muted" />
          <span className="text-muted">
            <Plain text={`${toolWords(row)} on ${row.host}`} />
          </span>
          <span className="ml-auto">
            <DeedMenu rows={[row]} label={`Actions on ${row.name}`} copies={copiesOf(agent)} />
          </span>
        </div>
        <Why agent={agent} />
      </div>
      <HourChart hour={row.last_hour} height={72} axes className="max-lg:hidden" />
    </header>
  );
}

/** To copy: the command that opens its window, on its own host. */
const copiesOf = ({ row, commands }: PageAgent) =>
  row.here ? commands.slice(0, 1).map(({ command }) => ({ label: 'Copy', command })) : [];

function Why({ agent: { why, out_of_reach, notifier } }: { agent: PageAgent }) {
  return (
    <div>
      <p>
        <Plain text={why.sentence} />
      </p>
      {out_of_reach && (
        <p className="text-wait">
          <Plain text={out_of_reach} />
        </p>
      )}
      <details className="text-muted">
        <summary className="w-fit text-xs hover:text-ink">
          Why
          {why.decided_at_utc && (
            <>
              {' ('}
              <At utc={why.decided_at_utc} />)
            </>
          )}
          {why.next_look_at_utc && Date.parse(why.next_look_at_utc) > serverNow() && (
            <>
              {' · next check '}
              <Until utc={why.next_look_at_utc} />
            </>
          )}
        </summary>
        <dl className="mt-1 grid max-w-3xl grid-cols-[auto_1fr] gap-x-4 gap-y-0.5">
          {[...why.rows, { label: 'Wakes', value: notifier.summary }].map(({ label, value }) => (
            <div key={label + value} className="contents">
              <dt className="text-xs">
                <Plain text={label} />
              </dt>
              <dd className="min-w-0 text-xs text-ink">
                <Plain text={value} />
              </dd>
            </div>
          ))}
        </dl>
      </details>
    </div>
  );
}
