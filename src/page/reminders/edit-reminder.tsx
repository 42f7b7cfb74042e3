import { useState } from 'react';
import type { PageReceipt, Reminder } from '../../wire/index.ts';
import { agentAt } from '../live/queries.ts';
import { queryClient } from '../live/query-client.ts';
import { useAction } from '../parts/action.ts';
import { SendButton } from '../parts/send-button.tsx';
import { SendForm } from '../parts/send-form.tsx';
import { ScheduleFields } from './schedule.tsx';

interface Props {
  agent: string;
  reminder: Reminder;
  onClose: () => void;
}

/** Changes title, prompt and times. What is not shown here stays as it is. */
export function EditReminder({ agent, reminder, onClose }: Props) {
  const { reminder_id, interval_seconds, cron, time_zone } = reminder;
  const [title, setTitle] = useState(reminder.title);
  const [prompt, setPrompt] = useState(reminder.prompt ?? '');
  const [minutes, setMinutes] = useState(String((interval_seconds ?? 0) / 60));
  const [schedule, setSchedule] = useState({ cron: cron ?? '', zone: time_zone ?? 'UTC' });
  const { sending, run } = useAction<PageReceipt>();
  const send = async () => {
    const times = cron
      ? { cron: schedule.cron.trim(), time_zone: schedule.zone.trim() }
      : interval_seconds
        ? { interval_seconds: Number(minutes) * 60 }
        : {};
    const at = `${agentAt(agent)}/reminders/${encodeURIComponent(reminder_id)}/edit`;
    if (!(await run(at, { title: title.trim(), prompt, ...times }))) return;
    void queryClient.invalidateQueries({ queryKey: ['reminders'] });
    onClose();
  };
  return (
    <SendForm
      label="Edit reminder"
      className="space-y-2 rounded-lg bg-sunken p-3"
      sending={sending}
      send={send}
    >
      <input
        className="field"
        required
        value={title}
        onChange={({ target }) => setTitle(target.value)}
        aria-label="Title (only you see it)"
      />
      <textarea
        className="field resize-y"
        required
        rows={3}
        value={prompt}
        onChange={({ target }) => setPrompt(target.value)}
        aria-label="Prompt"
      />
      {cron && (
        <ScheduleFields
          schedule={schedule}
          change={(part) => setSchedule((before) => ({ ...before, ...part }))}
        />
      )}
      <div className="flex flex-wrap items-center gap-2">
        {interval_seconds != null && !cron && (
          <label className="flex items-center gap-2 text-muted">
            every
            <input
              className="field w-24"
              type="number"
              min="0.1"
              step="any"
              required
              value={minutes}
              onChange={({ target }) => setMinutes(target.value)}
            />
            minutes
          </label>
        )}
        <button type="button" className="btn btn-bare ml-auto" onClick={onClose}>
          Cancel
        </button>
        <SendButton sending={sending} label="Save" busy="Saving …" className="btn btn-main" />
      </div>
    </SendForm>
  );
}
