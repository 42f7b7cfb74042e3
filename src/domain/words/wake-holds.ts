import type { CodeOf } from './table.ts';

interface HoldRow {
  /** What ends it. Follows "checked again". */
  until: string;
}

/** What holds open mail back. */
export const WAKE_HOLDS = {
  paused_loop: {
    until:
      'when a person writes into the thread, it is resumed ("rouse agents gateway mail-notifier resume --thread REF"), or other mail arrives',
  },
  quiet_hours: { until: 'when the quiet hours end' },
  wake_budget: { until: 'when enough wakes of the last hour are an hour old' },
  gateway: { until: 'when the gateway is free and the agent is ready' },
  agent: { until: 'when the agent becomes ready' },
  /** Others have waited longer for the agent. */
  turn: { until: 'when the agent becomes ready' },
} as const satisfies Record<string, HoldRow>;

export type WakeHold = CodeOf<typeof WAKE_HOLDS>;
