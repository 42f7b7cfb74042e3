import type { CodeOf } from './table.ts';

interface ModeRow {
  /** Also the name of its flag. */
  words: string;
  /** It has a window in the agent's tmux session. */
  window: boolean;
}

/** How an agent's gateway runs. */
export const EXECUTION_MODES = {
  detached_process: { words: 'background', window: false },
  tmux_auxiliary_window: { words: 'foreground', window: true },
  /** In the process that all hosted gateways share. */
  hosted: { words: 'hosted', window: false },
} as const satisfies Record<string, ModeRow>;

export type ExecutionMode = CodeOf<typeof EXECUTION_MODES>;

/** The mode to report where only the source's modes are known: a gateway in a host has no window either. */
export const MODES_ELSEWHERE = { hosted: 'detached_process' } as const satisfies Partial<
  Record<ExecutionMode, ExecutionMode>
>;

export const modeElsewhere = (mode: ExecutionMode): Exclude<ExecutionMode, 'hosted'> =>
  mode === 'hosted' ? MODES_ELSEWHERE[mode] : mode;
