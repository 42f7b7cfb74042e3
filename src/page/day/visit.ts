import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { visitBefore } from '../live/queries.ts';
import { useAction } from '../parts/action.ts';

const AWAY_MS = 3_600_000;

/**
 * Since when the person was away, if that was an hour or more; it stays until they say that they have looked. A shorter
 * absence is noted as over. Leaving the page notes the visit.
 */
export function useAway() {
  const { data } = useQuery(visitBefore);
  const { run, sending } = useAction<unknown>();
  const [isOver, setOver] = useState(false);
  const last = data?.last_utc ?? undefined;
  const isAway =
    data !== undefined && last !== undefined && Date.parse(data.now_utc) - Date.parse(last) >= AWAY_MS;
  const mayNote = data !== undefined && (!isAway || isOver);
  // biome-ignore lint/correctness/useExhaustiveDependencies: `run` is a new function at every render
  useEffect(() => {
    if (!mayNote) return;
    const note = (): void => {
      if (document.hidden) void run('visit', { looked_at: false });
    };
    if (last === undefined && !isOver) void run('visit', { looked_at: false });
    document.addEventListener('visibilitychange', note);
    return () => document.removeEventListener('visibilitychange', note);
  }, [mayNote, last]);
  const lookedAt = () =>
    void run('visit', { looked_at: true }).then((done) => {
      if (done) setOver(true);
    });
  return { since: isAway && !isOver ? last : undefined, lookedAt, sending };
}
