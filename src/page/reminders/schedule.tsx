import { useQuery } from '@tanstack/react-query';
import { useDeferredValue } from 'react';
import { nextTimesOf } from '../live/queries.ts';
import { Plain } from '../parts/plain-text.tsx';
import { NextTimes } from './next-times.tsx';

export interface Schedule {
  cron: string;
  zone: string;
}

/** The zone of the browser, so that "9:00" is what the person means by it. */
export const OWN_ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone || 'UTC';

interface Props {
  schedule: Schedule;
  change: (part: Partial<Schedule>) => void;
}

/** A cron expression, its zone, and the next three times as the gateway would compute them. */
export function ScheduleFields({ schedule, change }: Props) {
  const { cron, zone } = useDeferredValue(schedule);
  const { data, error } = useQuery(nextTimesOf(cron.trim(), zone.trim()));
  return (
    <div className="w-full space-y-1">
      <div className="flex flex-wrap gap-2">
        <input
          className="field w-auto min-w-32 flex-1 font-mono"
          required
          maxLength={1000}
          value={schedule.cron}
          onChange={({ target }) => change({ cron: target.value })}
          placeholder="0 9 * * 1-5"
          aria-label="Schedule: minute, hour, day, month, weekday"
        />
        <input
          className="field w-auto min-w-28 flex-1"
          required
          maxLength={100}
          value={schedule.zone}
          onChange={({ target }) => change({ zone: target.value })}
          placeholder="Europe/Berlin"
          aria-label="Time zone"
        />
      </div>
      {error ? (
        <p className="text-xs text-wait">
          <Plain text={error.message} />
        </p>
      ) : (
        <NextTimes times={data?.next_due_utc ?? []} />
      )}
    </div>
  );
}
