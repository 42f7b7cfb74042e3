import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { PageHealth } from '../../wire/index.ts';
import { healthSince } from '../live/queries.ts';
import { agentPath, goTo, useQueryWord, withQuery } from '../model/router.ts';
import { NotLoaded, Quiet } from '../parts/feedback.tsx';
import { Link } from '../parts/link.tsx';
import { Plain } from '../parts/plain-text.tsx';
import { DurationChart } from './duration-chart.tsx';
import { quantile, secondsInWords, together } from './durations.ts';
import { Funnel } from './funnel.tsx';

type Agent = PageHealth['agents'][number];

const HOURS = [
  [1, '1 h'],
  [24, '24 h'],
  [168, '7 days'],
] as const;

const SCOPES = ['agent', 'tool', 'host'] as const;

/** `tool:claude`: only these agents. The choice is in the address. */
function inScope({ name, tool, host }: Agent, of: string): boolean {
  return of === '' || [`agent:${name}`, `tool:${tool}`, `host:${host}`].includes(of);
}

/** How wakes went: where they were lost, and how long they took. */
export default function HealthPage() {
  const asked = useQueryWord('hours');
  const of = useQueryWord('of') ?? '';
  const hours = HOURS.find(([each]) => String(each) === asked)?.[0] ?? 24;
  const answer = useQuery(healthSince(hours));
  const { data } = answer;
  return (
    <div className="mx-auto max-w-[90rem] space-y-3 p-3 md:p-4">
      <header className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <h1 className="heading text-base">Health</h1>
        <nav aria-label="Time that is counted" className="flex gap-1">
          {HOURS.map(([each, label]) => (
            <Link
              key={each}
              href={withQuery({ hours: each === 24 ? undefined : String(each) })}
              aria-current={each === hours ? 'true' : undefined}
              className="chip text-muted hover:bg-sunken aria-[current]:bg-accent-soft aria-[current]:text-accent"
            >
              {label}
            </Link>
          ))}
        </nav>
        {data && <Scope agents={data.agents} of={of} />}
      </header>
      {!data && <NotLoaded asked={answer} what="health" rows={8} />}
      {data && <Numbers data={data} of={of} />}
    </div>
  );
}

function Scope({ agents, of }: { agents: readonly Agent[]; of: string }) {
  const options = SCOPES.map((scope) => {
    const values = agents.map((agent) => ({ agent: agent.name, tool: agent.tool, host: agent.host })[scope]);
    return { scope, values: [...new Set(values)].sort() };
  });
  return (
    <select
      className="field ml-auto w-auto min-w-0"
      aria-label="Wakes of"
      value={of}
      onChange={({ target }) => goTo(withQuery({ of: target.value || undefined }), 'replace')}
    >
      <option value="">All agents</option>
      {options.map(({ scope, values }) => (
        <optgroup key={scope} label={`By ${scope}`}>
          {values.map((value) => (
            <option key={value} value={`${scope}:${value}`}>
              {value}
            </option>
          ))}
        </optgroup>
      ))}
    </select>
  );
}

function Numbers({ data, of }: { data: PageHealth; of: string }) {
  const agents = useMemo(() => data.agents.filter((agent) => inScope(agent, of)), [data, of]);
  const sum = useMemo(() => together(agents, data.bounds), [agents, data]);
  return (
    <>
      <Funnel steps={data.steps} wakes={sum} mail={of === '' ? data.mail : undefined} />
      <div className="grid gap-3 lg:grid-cols-2">
        <DurationChart title="From accepted to submitted" counts={sum.submit} bounds={data.bounds} />
        <DurationChart title="From submitted to the end of the turn" counts={sum.turn} bounds={data.bounds} />
      </div>
      <PerAgent agents={agents} bounds={data.bounds} />
      <section aria-label="Server, hosts and database" className="card p-4">
        <h2 className="heading mb-1">Server, hosts, database</h2>
        <dl className="grid gap-x-6 gap-y-1 sm:grid-cols-2 lg:grid-cols-3">
          {data.facts.map(({ label, value }) => (
            <div key={label} className="flex gap-2">
              <dt className="text-muted">{label}</dt>
              <dd className="digits font-medium">
                <Plain text={value} />
              </dd>
            </div>
          ))}
        </dl>
        {data.troubles.map((trouble) => (
          <p key={trouble} className="text-wait">
            Not read: <Plain text={trouble} />
          </p>
        ))}
      </section>
    </>
  );
}

const COLUMNS = [
  { title: 'Submitted p50', of: 'submit', part: 0.5 },
  { title: 'Submitted p95', of: 'submit', part: 0.95 },
  { title: 'Turn p50', of: 'turn', part: 0.5 },
  { title: 'Turn p95', of: 'turn', part: 0.95 },
] as const;

function PerAgent({ agents, bounds }: { agents: readonly Agent[]; bounds: readonly number[] }) {
  const rows = agents.filter(({ steps }) => steps.decided + steps.accepted > 0);
  if (rows.length === 0) return <Quiet>No wakes in this time.</Quiet>;
  return (
    <section aria-label="By agent" className="card overflow-x-auto" tabIndex={-1}>
      <table className="digits w-full min-w-[44rem] text-right">
        <thead className="text-2xs text-muted">
          <tr className="border-b border-line">
            <th scope="col" className="px-4 py-2 text-left">
              Agent
            </th>
            {['Wakes', 'Submitted', 'Lost', ...COLUMNS.map(({ title }) => title)].map((title) => (
              <th key={title} scope="col" className="px-2">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ name, steps, submit, turn }) => (
            <tr key={name} className="border-b border-line last:border-0">
              <th scope="row" className="px-4 py-1 text-left font-medium">
                <Link href={agentPath(name)} className="hover:underline">
                  <Plain text={name} />
                </Link>
              </th>
              <td className="px-2">{steps.accepted}</td>
              <td className="px-2">{steps.submitted}</td>
              <td className={`px-2 ${steps.accepted > steps.submitted ? 'font-semibold text-need' : ''}`}>
                {Math.max(0, steps.accepted - steps.submitted) || ''}
              </td>
              {COLUMNS.map(({ title, of, part }) => (
                <td key={title} className="px-2">
                  {secondsInWords(quantile(part, { submit, turn }[of], bounds))}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
