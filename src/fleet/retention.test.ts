import { expect, it } from 'vitest';
import { createLog, systemClock } from '../base/index.ts';
import { SERVER_SETTINGS } from '../domain/index.ts';
import { keepingOf } from './retention.ts';

const { variable, fallback } = SERVER_SETTINGS.keepRequestsDays;

it.each([
  [undefined, fallback, 0],
  ['', fallback, 0],
  ['1', 1, 0],
  ['36500', 36_500, 0],
  ['0', fallback, 1],
  ['36501', fallback, 1],
  ['-3', fallback, 1],
  ['7d', fallback, 1],
])(
  'requests are kept for %j days: %s, with %s warnings, because a typo must delete nothing',
  (text, days, warnings) => {
    const lines: string[] = [];
    const log = createLog({ clock: systemClock, write: (line) => lines.push(line) });
    expect(keepingOf({ [variable]: text }, log).requests).toBe(days);
    expect(lines).toHaveLength(warnings);
  },
);
