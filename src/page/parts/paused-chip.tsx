import type { PageAgentRow } from '../../wire/index.ts';
import { When } from './age.tsx';

/** Whether a person has paused an agent, and until when. */
export function PausedChip({ paused }: Pick<PageAgentRow, 'paused'>) {
  if (!paused) return null;
  return (
    <span className="chip h-4 shrink-0 bg-wait-soft px-1.5 text-2xs text-wait">
      paused
      {paused.until_utc && (
        <>
          {' until '}
          <When utc={paused.until_utc} />
        </>
      )}
    </span>
  );
}
