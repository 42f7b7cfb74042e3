import { useState } from 'react';
import { SELECTION_STATES } from '../../domain/tables.ts';
import type { PageReceipt, Reminder } from '../../wire/index.ts';
import { useMay } from '../frame/session-context.ts';
import { agentAt } from '../live/queries.ts';
import { queryClient } from '../live/query-client.ts';
import { plain } from '../model/plain.ts';
import { useAction } from '../parts/action.ts';
import { Until } from '../parts/age.tsx';
import { Trouble } from '../parts/feedback.tsx';
import { Icon } from '../parts/icons.tsx';
import { Plain } from '../parts/plain-text.tsx';
import { blockedBy, cadence, moved } from './cadence.ts';
import { EditReminder } from './edit-reminder.tsx';
import { NextTimes } from './next-times.tsx';
import { removedReminder } from './undo-removal.tsx';

interface Props {
  agent: string;
  reminder: Reminder;
  /** All of the agent, in their order. */
  all: readonly Reminder[];
}

/** Title, prompt, when it is due, what it waits for, and its place among the others. */
export function ReminderRow({ agent, reminder, all }: Props) {
  const { title, prompt, send_keys, next_due_at_utc, paused, selection_state, cron } = reminder;
  const [isEditing, setEditing] = useState(false);
  const blocked = blockedBy(reminder, all);
  return (
    <li className="grid grid-cols-[minmax(0,1fr)_auto] gap-x-3 gap-y-1 border-t border-line px-4 py-2">
      <div className="min-w-0">
        <p className="flex flex-wrap items-baseline gap-x-2">
          <strong>
            <Plain text={title} />
          </strong>
          <span className="text-xs text-muted">
            <Plain text={cadence(reminder)} />, due <Until utc={next_due_at_utc} />
          </span>
          {paused && <span className="chip h-5 bg-wait-soft text-wait">paused</span>}
          {selection_state === 'effective' && !paused && (
            <span className="chip h-5 bg-idle-soft text-idle">{SELECTION_STATES[selection_state].words}</span>
          )}
        </p>
        {cron && <NextTimes times={reminder.next_due_preview_utc ?? []} />}
        <p className="line-clamp-2 text-muted">
          <Plain text={prompt ?? send_keys?.sequence ?? ''} />
        </p>
        {blocked && (
          <p className="text-xs text-wait">
            <Plain text={blocked} />
          </p>
        )}
      </div>
      <Change
        agent={agent}
        reminder={reminder}
        all={all}
        onEdit={() => setEditing(!isEditing)}
        isEditing={isEditing}
      />
      {isEditing && (
        <div className="col-span-2">
          <EditReminder agent={agent} reminder={reminder} onClose={() => setEditing(false)} />
        </div>
      )}
    </li>
  );
}

interface ChangeProps extends Props {
  onEdit: () => void;
  isEditing: boolean;
}

function Change({
  agent,
  reminder: { reminder_id, paused, title, prompt },
  all,
  onEdit,
  isEditing,
}: ChangeProps) {
  const { sending, run } = useAction<PageReceipt>();
  if (!useMay('operate')) return null;
  const root = `${agentAt(agent)}/reminders`;
  const at = `${root}/${encodeURIComponent(reminder_id)}`;
  const ids = all.map((each) => each.reminder_id);
  const act = async (path: string, body: object = {}) => {
    const receipt = await run(path, body);
    void queryClient.invalidateQueries({ queryKey: ['reminders'] });
    return receipt;
  };
  const isBusy = sending.state === 'sending';
  const move = (by: 1 | -1) => {
    const order = moved(ids, reminder_id, by);
    return (
      <button
        type="button"
        className="btn px-1.5"
        disabled={isBusy || order === undefined}
        onClick={() => void act(`${root}/order`, { order })}
        aria-label={`Move ${plain(title)} ${by < 0 ? 'up' : 'down'}`}
      >
        {by < 0 ? '↑' : '↓'}
      </button>
    );
  };
  return (
    <div className="flex flex-wrap items-start justify-end gap-1">
      {ids.length > 1 && move(-1)}
      {ids.length > 1 && move(1)}
      {prompt !== null && (
        <button
          type="button"
          className="btn px-2"
          aria-expanded={isEditing}
          onClick={onEdit}
          aria-label={`Edit ${plain(title)}`}
        >
          <Icon name="pen" size={14} />
        </button>
      )}
      <button
        type="button"
        className="btn px-2"
        disabled={isBusy}
        onClick={() => void act(`${at}/pause`, { paused: !paused })}
        aria-label={`${paused ? 'Resume' : 'Pause'} ${plain(title)}`}
      >
        <Icon name={paused ? 'play' : 'pause'} size={14} />
      </button>
      <button
        type="button"
        className="btn px-2"
        disabled={isBusy}
        onClick={() =>
          void act(`${at}/delete`).then((receipt) => {
            if (receipt) removedReminder.set({ agent, receipt });
          })
        }
        aria-label={`Remove ${plain(title)}`}
      >
        <Icon name="bin" size={14} />
      </button>
      {sending.state === 'failed' && <Trouble error={sending.error} />}
    </div>
  );
}
