import { useQuery } from '@tanstack/react-query';
import { remindersOf } from '../live/queries.ts';
import { NotLoaded, Quiet } from '../parts/feedback.tsx';
import { NewReminder } from '../reminders/new-reminder.tsx';
import { ReminderRow } from '../reminders/reminder-row.tsx';
import { UndoRemoval } from '../reminders/undo-removal.tsx';

export function AgentReminders({ name }: { name: string }) {
  const asked = useQuery(remindersOf(name));
  const { data } = asked;
  if (!data) return <NotLoaded asked={asked} what="reminders" />;
  return (
    <div>
      {data.reminders.length === 0 && <Quiet>No reminders.</Quiet>}
      <ol>
        {data.reminders.map((reminder) => (
          <ReminderRow key={reminder.reminder_id} agent={name} reminder={reminder} all={data.reminders} />
        ))}
      </ol>
      <UndoRemoval />
      <div className="border-t border-line p-3">
        <NewReminder agents={[name]} />
      </div>
    </div>
  );
}
