import { REMINDER_MODES, reminderWords, SELECTION_STATES } from '../../domain/tables.ts';
import type { PageReceipt, Reminder } from '../../wire/index.ts';
import { useMay } from '../frame/session-context.ts';
import { agentAt } from '../live/queries.ts';
import { queryClient } from '../live/query-client.ts';
import { lengthInWords } from '../model/clock.ts';
import { plain } from '../model/plain.ts';
import { useAction } from '../parts/action.ts';
import { Until } from '../parts/age.tsx';
import { Trouble } from '../parts/feedback.tsx';
import { Icon } from '../parts/icons.tsx';
import { Plain } from '../parts/plain-text.tsx';

interface Props {
  agent: string;
  reminder: Reminder;
}

/** Order, title, text, when it is due, and why it waits. */
export function ReminderRow({ agent, reminder }: Props) {
  const { title, prompt, send_keys, ranking, next_due_at_utc, paused, selection_state, waiting_reason } =
    reminder;
  return (
    <li className="grid grid-cols-[2.5rem_1fr_auto] gap-x-3 border-t border-line px-4 py-2">
      <span className="digits pt-0.5 text-right text-xs text-muted" title="Order: the lowest is first">
        {ranking}
      </span>
      <div className="min-w-0">
        <p className="flex flex-wrap items-baseline gap-x-2">
          <strong>
            <Plain text={title} />
          </strong>
          <span className="text-xs text-muted">
            {cadence(reminder)}, due <Until utc={next_due_at_utc} />
          </span>
          {paused && <span className="chip h-5 bg-wait-soft text-wait">paused</span>}
          {selection_state === 'effective' && !paused && (
            <span className="chip h-5 bg-idle-soft text-idle">{SELECTION_STATES[selection_state].words}</span>
          )}
        </p>
        <p className="line-clamp-2 text-muted">
          <Plain text={prompt ?? send_keys?.sequence ?? ''} />
        </p>
        {waiting_reason && (
          <p className="text-xs text-wait">
            <Plain text={`waits: ${waiting_reason}`} />
          </p>
        )}
      </div>
      <Change agent={agent} reminder={reminder} />
    </li>
  );
}

function cadence(reminder: Reminder): string {
  const { mode, interval_seconds, cron } = reminder;
  const often = cron ?? (interval_seconds ? `every ${lengthInWords(interval_seconds * 1000)}` : 'repeats');
  const { repeats, words } = REMINDER_MODES[mode];
  return [repeats ? often : words, ...reminderWords(reminder)].join(', ');
}

function Change({ agent, reminder: { reminder_id, paused, title } }: Props) {
  const { sending, run } = useAction<PageReceipt>();
  if (!useMay('operate')) return null;
  const at = `${agentAt(agent)}/reminders/${encodeURIComponent(reminder_id)}`;
  const act = async (what: 'pause' | 'delete') => {
    await run(`${at}/${what}`, what === 'pause' ? { paused: !paused } : {});
    void queryClient.invalidateQueries({ queryKey: ['reminders'] });
  };
  const isBusy = sending.state === 'sending';
  return (
    <div className="flex items-start gap-1">
      <button
        type="button"
        className="btn px-2"
        disabled={isBusy}
        onClick={() => void act('pause')}
        aria-label={`${paused ? 'Resume' : 'Pause'} ${plain(title)}`}
      >
        <Icon name={paused ? 'play' : 'pause'} size={14} />
      </button>
      <button
        type="button"
        className="btn px-2"
        disabled={isBusy}
        onClick={() => void act('delete')}
        aria-label={`Remove ${plain(title)}`}
      >
        <Icon name="bin" size={14} />
      </button>
      {sending.state === 'failed' && <Trouble error={sending.error} />}
    </div>
  );
}
