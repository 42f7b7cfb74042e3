import type { PageRight } from '../../domain/tables.ts';
import type { PageAgentRow } from '../../wire/index.ts';
import { standingOf } from '../live/picture.ts';
import { serverNow } from '../model/clock.ts';
import type { IconName } from '../parts/icons.tsx';

export interface Deed {
  label: string;
  /** With the agent's name for `{}`: `pause {} for 1 h`. */
  phrase: string;
  icon: IconName;
  right: PageRight;
  /** The route below the agent. */
  path: string;
  /** Asked about first, because it ends something. */
  confirms: boolean;
  /** Whether it makes sense for this agent now. */
  fits: (row: PageAgentRow, isMuted: boolean) => boolean;
  /** What will happen to this agent. */
  before: (row: PageAgentRow) => string;
  body: (row: PageAgentRow) => object;
}

const HOUR_MS = 3_600_000;

/** Eight in the morning of the next day, where the person is. */
export function tomorrow(nowMs: number): Date {
  const at = new Date(nowMs);
  at.setDate(at.getDate() + 1);
  at.setHours(8, 0, 0, 0);
  return at;
}

const pause = { right: 'operate', path: 'pause', icon: 'pause', confirms: false } as const;
const pauses = (phrase: string, label: string, until: () => Date | null): Deed => ({
  ...pause,
  label,
  phrase,
  fits: () => true,
  before: () => 'Its mail arrives and waits; nothing wakes it. A turn that runs goes on.',
  body: () => ({ paused: true, until_utc: until()?.toISOString() ?? null }),
});
const inTurn = ({ state }: PageAgentRow): boolean => state === 'working';
const run = { right: 'run', confirms: true } as const;

/** What a person may do to agents. */
export const DEEDS = {
  pause_1h: pauses('pause {} for 1 h', 'Pause for 1 h', () => new Date(serverNow() + HOUR_MS)),
  pause_tomorrow: pauses('pause {} until tomorrow', 'Pause until tomorrow 08:00', () =>
    tomorrow(serverNow()),
  ),
  pause: pauses('pause {} until resumed', 'Pause until resumed', () => null),
  resume: {
    ...pause,
    icon: 'play',
    label: 'Resume',
    phrase: 'resume {}',
    fits: ({ paused }) => Boolean(paused),
    before: () => 'What waited goes on as it becomes ready.',
    body: () => ({ paused: false }),
  },
  mute: {
    label: 'Mute until its state changes',
    phrase: 'mute {}',
    icon: 'muted',
    right: 'view',
    path: 'mute',
    confirms: false,
    fits: (_, isMuted) => !isMuted,
    before: () => 'What it needs is hidden from you until its state changes.',
    body: (row) => ({ muted: true, state: standingOf(row) }),
  },
  unmute: {
    label: 'Unmute',
    phrase: 'unmute {}',
    icon: 'muted',
    right: 'view',
    path: 'mute',
    confirms: false,
    fits: (_, isMuted) => isMuted,
    before: () => 'What it needs is shown again.',
    body: (row) => ({ muted: false, state: standingOf(row) }),
  },
  attach: {
    label: 'Bring its gateway back',
    phrase: 'bring back the gateway of {}',
    icon: 'wake',
    right: 'run',
    path: 'attach',
    confirms: false,
    fits: ({ here, state, gateway }) => here && !gateway.alive && state !== 'gone',
    before: () => 'Its gateway starts with the settings, queue and reminders it had.',
    body: () => ({}),
  },
  relaunch: {
    ...run,
    label: 'Relaunch …',
    phrase: 'relaunch {}',
    icon: 'again',
    path: 'relaunch',
    fits: ({ here }) => here,
    before: (row) =>
      inTurn(row)
        ? 'It is in the middle of a turn, which is cut off. Then its tool starts again, with its conversation if the tool can.'
        : 'Its tool starts again, with its conversation if the tool can. Its gateway follows.',
    body: (row) => ({ in_turn: inTurn(row) }),
  },
  stop: {
    ...run,
    label: 'Stop …',
    phrase: 'stop {}',
    icon: 'stop',
    path: 'stop',
    fits: ({ here }) => here,
    before: (row) =>
      inTurn(row)
        ? 'It is in the middle of a turn, which is cut off. Its tool and its tmux session end.'
        : 'Its tool and its tmux session end. A session that was joined goes on without Rouse.',
    body: (row) => ({ in_turn: inTurn(row) }),
  },
} as const satisfies Record<string, Deed>;

export type DeedName = keyof typeof DEEDS;
export const DEED_NAMES = Object.keys(DEEDS) as DeedName[];
export const deedOf = (name: DeedName): Deed => DEEDS[name];
export const phraseOf = (deed: DeedName, agent: string): string =>
  DEEDS[deed].phrase.replace('{}', () => agent);
