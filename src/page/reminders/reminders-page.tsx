import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useLive } from '../live/live.ts';
import { allReminders } from '../live/queries.ts';
import { agentPath, goTo, useQueryWord, withQuery } from '../model/router.ts';
import { NotLoaded, Quiet, Trouble } from '../parts/feedback.tsx';
import { Link } from '../parts/link.tsx';
import { Plain } from '../parts/plain-text.tsx';
import { NewReminder } from './new-reminder.tsx';
import { ReminderRow } from './reminder-row.tsx';
import { UndoRemoval } from './undo-removal.tsx';

/** Every agent's reminders in order of delivery: the first is next, the others wait behind it. */
export default function RemindersPage() {
  const asked = useQuery(allReminders);
  const { data } = asked;
  const chosen = useQueryWord('agent');
  const agents = useLive(({ picture }) => picture?.agents);
  const names = useMemo(
    () =>
      [...(agents?.values() ?? [])]
        .filter(({ here }) => here)
        .map(({ name }) => name)
        .sort(),
    [agents],
  );
  const shown = data?.agents.filter(
    ({ agent, reminders, trouble }) => (!chosen || agent === chosen) && (reminders.length > 0 || trouble),
  );
  return (
    <div className="mx-auto grid max-w-6xl items-start grid-cols-[minmax(0,1fr)] gap-3 p-3 md:p-4 lg:grid-cols-[minmax(0,1fr)_22rem]">
      <div className="space-y-3">
        <header className="flex items-center gap-3">
          <h1 className="heading shrink-0">Reminders</h1>
          <select
            className="field ml-auto w-auto min-w-0"
            aria-label="Show the reminders of"
            value={chosen ?? ''}
            onChange={({ target }) => goTo(withQuery({ agent: target.value || undefined }))}
          >
            <option value="">All agents</option>
            {names.map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </header>
        {!data && <NotLoaded asked={asked} what="reminders" />}
        {shown?.length === 0 && <Quiet>No reminders.</Quiet>}
        {shown?.map(({ agent, reminders, trouble }) => (
          <section key={agent} className="card overflow-hidden" aria-label={`Reminders of ${agent}`}>
            <h2 className="heading px-4 py-2">
              <Link href={agentPath(agent)} className="hover:underline">
                <Plain text={agent} />
              </Link>
            </h2>
            {trouble && <Trouble error={trouble} />}
            <ol>
              {reminders.map((reminder) => (
                <ReminderRow key={reminder.reminder_id} agent={agent} reminder={reminder} all={reminders} />
              ))}
            </ol>
          </section>
        ))}
      </div>
      <aside className="card p-4" aria-label="New reminder">
        <h2 className="heading mb-2">New reminder</h2>
        <NewReminder agents={chosen ? [chosen] : names} />
      </aside>
      <UndoRemoval />
    </div>
  );
}
