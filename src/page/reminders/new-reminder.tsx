import { useState } from 'react';
import type { PageReceipt } from '../../wire/index.ts';
import { useMay } from '../frame/session-context.ts';
import { agentAt } from '../live/queries.ts';
import { queryClient } from '../live/query-client.ts';
import { useAction } from '../parts/action.ts';
import { SendButton } from '../parts/send-button.tsx';
import { SendForm } from '../parts/send-form.tsx';
import { OWN_ZONE, type Schedule, ScheduleFields } from './schedule.tsx';

const UNITS = { minutes: 60, hours: 3600, days: 86_400 } as const;

/** A prompt that is typed later, once or repeatedly. */
export function NewReminder({ agents }: { agents: readonly string[] }) {
  const [often, setOften] = useState<Often>('in');
  const [schedule, setSchedule] = useState<Schedule>({ cron: '', zone: OWN_ZONE });
  const { sending, run } = useAction<PageReceipt>();
  const send = async (form: HTMLFormElement) => {
    const { agent, reminder } = reminderOf(new FormData(form), often, schedule);
    if (!(await run(`${agentAt(agent)}/reminders`, { reminder }))) return;
    form.reset();
    setSchedule({ cron: '', zone: OWN_ZONE });
    void queryClient.invalidateQueries({ queryKey: ['reminders'] });
  };
  if (!useMay('operate'))
    return <p className="text-muted">View only: ask for an "operate" link to create reminders.</p>;
  if (agents.length === 0) return <p className="text-muted">There are no agents to remind.</p>;
  return (
    <SendForm label="New reminder" className="space-y-2" sending={sending} send={send}>
      <Fields
        agents={agents}
        often={often}
        setOften={setOften}
        schedule={schedule}
        change={(part) => setSchedule((before) => ({ ...before, ...part }))}
      />
      <div className="flex items-center gap-2">
        <label className="flex items-center gap-2 text-muted">
          Order
          <input
            className="field w-20"
            name="ranking"
            type="number"
            step="1"
            defaultValue="0"
            required
            title="The lowest is first"
          />
        </label>
        <SendButton sending={sending} label="Create" busy="Creating …" />
      </div>
    </SendForm>
  );
}

type Often = 'in' | 'every' | 'cron';

function reminderOf(
  form: FormData,
  often: Often,
  { cron, zone }: Schedule,
): { agent: string; reminder: object } {
  const word = (name: string): string => String(form.get(name) ?? '');
  const seconds = Number(word('count')) * UNITS[word('unit') as keyof typeof UNITS];
  return {
    agent: word('agent'),
    reminder: {
      mode: often === 'in' ? 'one_off' : 'repeat',
      title: word('title'),
      prompt: word('prompt'),
      ranking: Number(word('ranking')),
      ...(often === 'cron'
        ? { cron: cron.trim(), time_zone: zone.trim() }
        : { start_after_seconds: seconds, ...(often === 'every' && { interval_seconds: seconds }) }),
    },
  };
}

interface FieldsProps {
  agents: readonly string[];
  often: Often;
  setOften: (often: Often) => void;
  schedule: Schedule;
  change: (part: Partial<Schedule>) => void;
}

function Fields({ agents, often, setOften, schedule, change }: FieldsProps) {
  return (
    <>
      <select className={`field ${agents.length === 1 ? 'hidden' : ''}`} name="agent" aria-label="Agent">
        {agents.map((name) => (
          <option key={name}>{name}</option>
        ))}
      </select>
      <input
        className="field"
        name="title"
        required
        placeholder="Title (only you see it)"
        aria-label="Title"
      />
      <textarea
        className="field resize-y"
        name="prompt"
        required
        rows={3}
        placeholder="Prompt"
        aria-label="Prompt"
      />
      <div className="flex flex-wrap items-center gap-2">
        <select
          className="field w-auto"
          aria-label="How often"
          value={often}
          onChange={({ target }) => setOften(target.value as Often)}
        >
          <option value="in">once, in</option>
          <option value="every">every</option>
          <option value="cron">on a schedule</option>
        </select>
        {often === 'cron' ? <ScheduleFields schedule={schedule} change={change} /> : <Interval />}
      </div>
    </>
  );
}

function Interval() {
  return (
    <>
      <input
        className="field w-20"
        name="count"
        type="number"
        min="1"
        defaultValue="30"
        required
        aria-label="How many"
      />
      <select className="field w-auto flex-1" name="unit" aria-label="Unit">
        {Object.keys(UNITS).map((unit) => (
          <option key={unit}>{unit}</option>
        ))}
      </select>
    </>
  );
}
