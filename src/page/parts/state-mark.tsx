import type { ReactNode } from 'react';
import type { PageAgentRow } from '../../wire/index.ts';
import { Plain } from './plain-text.tsx';

type State = PageAgentRow['state'];

const line = { fill: 'none', stroke: 'currentColor', strokeLinecap: 'round' as const, strokeWidth: 1.8 };

/** Each state has a shape and words, not only a colour. */
const LOOK: Record<State, { colour: string; soft: string; shape: ReactNode }> = {
  needs_you: {
    colour: 'text-need',
    soft: 'bg-need-soft',
    shape: (
      <>
        <path d="M8 1.500 15.200 14.500H.8z" fill="currentColor" />
        <path d="M8 6.200v3.600M8 12v.01" {...line} stroke="var(--surface)" />
      </>
    ),
  },
  working: {
    colour: 'text-work',
    soft: 'bg-work-soft',
    shape: (
      <>
        <circle cx="8" cy="8" r="6" {...line} opacity=".35" />
        <path d="M8 2a6 6 0 0 1 6 6" {...line} strokeWidth={2.2} />
        <circle cx="8" cy="8" r="2.200" fill="currentColor" />
      </>
    ),
  },
  waiting: {
    colour: 'text-wait',
    soft: 'bg-wait-soft',
    shape: (
      <path d="M4 2h8M4 14h8M5 2c0 4 6 4 6 6s-6 2-6 6m6-12c0 4-6 4-6 6s6 2 6 6" {...line} strokeWidth={1.5} />
    ),
  },
  idle: { colour: 'text-idle', soft: 'bg-idle-soft', shape: <circle cx="8" cy="8" r="5" {...line} /> },
  starting: {
    colour: 'text-work',
    soft: 'bg-work-soft',
    shape: <path d="M4 12a4 4 0 0 1 8 0M1.500 12h13M8 2.500V5" {...line} />,
  },
  not_watched: {
    colour: 'text-gone',
    soft: 'bg-gone-soft',
    shape: <circle cx="8" cy="8" r="5" {...line} strokeDasharray="1.500 3" />,
  },
  gone: { colour: 'text-gone', soft: 'bg-gone-soft', shape: <path d="m4 4 8 8M12 4l-8 8" {...line} /> },
  elsewhere: { colour: 'text-gone', soft: 'bg-gone-soft', shape: <path d="M6 3h7v7M13 3 4 12" {...line} /> },
};

export function StateShape({ state }: { state: State }) {
  const { colour, shape } = LOOK[state];
  return (
    <svg width="14" height="14" viewBox="0 0 16 16" aria-hidden="true" className={`shrink-0 ${colour}`}>
      {shape}
    </svg>
  );
}

interface Props {
  state: State;
  words: string;
}

export function StateMark({ state, words }: Props) {
  return (
    <span className={`inline-flex min-w-0 items-center gap-1.5 font-semibold ${LOOK[state].colour}`}>
      <StateShape state={state} />
      <span className="truncate">
        <Plain text={words} />
      </span>
    </span>
  );
}

export function StateChip({ state, words }: Props) {
  const { colour, soft } = LOOK[state];
  return (
    <span className={`chip max-w-full ${colour} ${soft}`}>
      <StateShape state={state} />
      <span className="truncate">
        <Plain text={words} />
      </span>
    </span>
  );
}
