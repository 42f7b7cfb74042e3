import { Role, type Task, TaskState } from '@a2a-js/sdk';

/** A message of the queue, as an A2A client sees it: a task with the same id. */
export interface TaskRow {
  id: string;
  context_id: string;
  state: TaskStateName;
  status: string;
  outcome: string | null;
  last_error: string | null;
  attempts: number;
  changed_at: Date;
}

export type TaskStateName = 'SUBMITTED' | 'WORKING' | 'COMPLETED' | 'FAILED' | 'CANCELED' | 'REJECTED';

/**
 * WORKING: the agent's gateway has it in its own queue, and has not said how it ended. COMPLETED: it was submitted to the
 * agent. What was dropped never reached it.
 */
const STATE = `CASE
  WHEN outcome IN ('submitted', 'coalesced') THEN 'COMPLETED'
  WHEN outcome IN ('cancelled', 'superseded') THEN 'CANCELED'
  WHEN outcome = 'refused' THEN 'REJECTED'
  WHEN outcome IS NOT NULL OR status = 'failed' THEN 'FAILED'
  WHEN status = 'dropped' THEN 'CANCELED'
  WHEN status = 'completed' THEN 'WORKING'
  ELSE 'SUBMITTED' END`;
const CHANGED_AT = 'coalesce(outcome_at, completed_at, dispatched_at, enqueued_at)';

/** The queue as a table of tasks, for a FROM clause. */
export const TASKS = `(SELECT id, workspace_id, context_id, caller_id, caller_user, enqueued_at, status, outcome,
  last_error, attempts, ${STATE} AS state, ${CHANGED_AT} AS changed_at FROM a2a_queue WHERE context_id IS NOT NULL) t`;

export const TASK_COLUMNS = 'id, context_id, state, status, outcome, last_error, attempts, changed_at';

const STATES: Record<TaskStateName, TaskState> = {
  SUBMITTED: TaskState.TASK_STATE_SUBMITTED,
  WORKING: TaskState.TASK_STATE_WORKING,
  COMPLETED: TaskState.TASK_STATE_COMPLETED,
  FAILED: TaskState.TASK_STATE_FAILED,
  CANCELED: TaskState.TASK_STATE_CANCELED,
  REJECTED: TaskState.TASK_STATE_REJECTED,
};

export function isTerminal({ state }: TaskRow): boolean {
  return state !== 'SUBMITTED' && state !== 'WORKING';
}

/** Undefined for a state that none of our tasks is ever in. */
export function nameOfState(state: TaskState): TaskStateName | undefined {
  return (Object.keys(STATES) as TaskStateName[]).find((name) => STATES[name] === state);
}

export function toTask(row: TaskRow): Task {
  const said = sayingOf(row);
  return {
    id: row.id,
    contextId: row.context_id,
    status: {
      state: STATES[row.state],
      timestamp: row.changed_at.toISOString(),
      message: said === undefined ? undefined : spokenBy(row, said),
    },
    artifacts: [],
    history: [],
    metadata: { queue_status: row.status, outcome: row.outcome, attempts: row.attempts },
  };
}

/** Why it ended as it did. */
function sayingOf({ status, outcome, last_error }: TaskRow): string | undefined {
  if (outcome === 'submitted') return 'The message was submitted to the agent.';
  if (outcome !== null && status === 'completed') return `The agent's gateway says: ${outcome}.`;
  return last_error ?? undefined;
}

function spokenBy({ id, context_id }: TaskRow, text: string): NonNullable<Task['status']>['message'] {
  return {
    messageId: `${id}-status`,
    contextId: context_id,
    taskId: id,
    role: Role.ROLE_AGENT,
    parts: [
      { content: { $case: 'text', value: text }, metadata: undefined, filename: '', mediaType: 'text/plain' },
    ],
    metadata: undefined,
    extensions: [],
    referenceTaskIds: [],
  };
}
