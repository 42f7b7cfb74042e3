import { useQuery } from '@tanstack/react-query';
import { remindersOf } from '../live/questions.ts';
import { Loading, Quiet, Trouble } from '../parts/said.tsx';
import { NewReminder } from '../reminders/new-reminder.tsx';
import { ReminderRow } from '../reminders/reminder-row.tsx';

export function AgentReminders({ name }: { name: string }) {
  const { data, error, refetch } = useQuery(remindersOf(name));
  if (error && !data) return <Trouble error={error} again={() => void refetch()} />;
  if (!data) return <Loading what="reminders" />;
  return (
    <div>
      {data.reminders.length === 0 && <Quiet>No reminders.</Quiet>}
      <ol>
        {data.reminders.map((reminder) => (
          <ReminderRow key={reminder.reminder_id} agent={name} reminder={reminder} />
        ))}
      </ol>
      <div className="border-t border-line p-3">
        <NewReminder agents={[name]} />
      </div>
    </div>
  );
}
