import type { ReactNode } from 'react';
import { LANE_HEIGHT, MARK_SHAPES, statePaths } from './lane-paths.ts';

const STATES = [
  ['working', 'Working'],
  ['waiting', 'Waiting'],
  ['needs_you', 'Needs you'],
  ['idle', 'Idle'],
  ['gone', 'Gone'],
] as const;

const MARKS = [
  ['wakes', 'Wake'],
  ['mail', 'Mail'],
  ['requests', 'Request'],
] as const;

const WIDTH = 20;
const SCALE = { fromMs: 0, toMs: 1, width: WIDTH };

/** What the shapes mean. */
export function Legend() {
  return (
    <ul className="ml-auto flex flex-wrap gap-x-3 text-xs text-muted" aria-label="What the shapes mean">
      {STATES.map(([state, label]) => (
        <Entry key={state} label={label}>
          {statePaths([{ state, words: '', fromMs: 0, toMs: 1 }], SCALE).map(
            ({ d, colour, fill, stroke }) => (
              <path
                key={state}
                d={d}
                className={colour}
                {...(stroke ? { stroke: 'currentColor', strokeWidth: 2, strokeDasharray: '5 4' } : { fill })}
              />
            ),
          )}
        </Entry>
      ))}
      {MARKS.map(([kind, label]) => (
        <Entry key={kind} label={label} width={8}>
          <path
            d={MARK_SHAPES[kind].draw(4)}
            className={MARK_SHAPES[kind].colour}
            fill="currentColor"
            transform="translate(0 -6)"
          />
        </Entry>
      ))}
    </ul>
  );
}

function Entry({ label, width = WIDTH, children }: { label: string; width?: number; children: ReactNode }) {
  return (
    <li className="flex items-center gap-1 whitespace-nowrap">
      <svg width={width} height={LANE_HEIGHT} aria-hidden="true">
        {children}
      </svg>
      {label}
    </li>
  );
}
