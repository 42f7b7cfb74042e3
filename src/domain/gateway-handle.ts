import type { FieldProblem } from './field-problem.ts';
import { EXECUTION_MODES, type ExecutionMode } from './words/execution-modes.ts';

/** The window of the agent itself. No gateway runs there, and nothing may stop or kill it. */
export const AGENT_WINDOW_INDEX = '0';

/** The tmux place of a gateway; all null for a gateway that is a process of its own. */
export interface TmuxHandle {
  windowId: string | null | undefined;
  windowIndex: string | null | undefined;
  paneId: string | null | undefined;
}

export interface TmuxHandleNames {
  windowId: string;
  windowIndex: string;
  paneId: string;
}

export interface HandleRule {
  mode: ExecutionMode;
  /** Which parts must be recorded for a gateway in a window of its own. */
  required: (keyof TmuxHandle)[];
  names: TmuxHandleNames;
}

/** Detach acts only on a recorded handle, so it must fit its mode and can never be the agent's window. */
export function tmuxHandleProblems(
  handle: TmuxHandle,
  { mode, required, names }: HandleRule,
): FieldProblem[] {
  const problems: FieldProblem[] = [];
  const { window } = EXECUTION_MODES[mode];
  for (const part of ['windowId', 'windowIndex', 'paneId'] as const) {
    const present = handle[part] != null;
    if (!window && present) {
      problems.push({ path: [names[part]], message: `must be null when the execution mode is ${mode}` });
    }
    if (window && !present && required.includes(part)) {
      problems.push({
        path: [names[part]],
        message: `is required when the execution mode is ${mode}`,
      });
    }
  }
  if (handle.windowIndex === AGENT_WINDOW_INDEX) {
    problems.push({ path: [names.windowIndex], message: 'must not be "0": window 0 is the agent' });
  }
  return problems;
}

/** Asks a gateway to end in good order and to leave its live reminders to the next one of the session. */
export const HAND_OVER_SIGNAL = 'SIGUSR2';
