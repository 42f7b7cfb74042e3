import { type Part, Role, type Task, TaskState } from '@a2a-js/sdk';
import {
  A2A_TASKS,
  type A2aTask,
  isAmong,
  MESSAGE_STATUSES,
  MESSAGE_TURNS,
  type MessageStatus,
  REACHED_OUTCOMES,
  REQUEST_OUTCOMES,
  type RequestOutcome,
  sqlList,
  TURN_RESULTS,
} from '../../domain/index.ts';
import type { TurnReport } from '../../wire/index.ts';
import { quotedIn } from './prompt-text.ts';

/** A message of the queue, as an A2A client sees it: a task with the same id. */
export interface TaskRow {
  id: string;
  context_id: string;
  state: A2aTask;
  status: MessageStatus;
  outcome: RequestOutcome | null;
  last_error: string | null;
  attempts: number;
  changed_at: Date;
  turn_state: TurnReport['state'] | null;
  turn: Partial<Pick<TurnReport, 'result' | 'evidence' | 'detail' | 'answer' | 'answer_cut'>> | null;
  gateway_request_id: string | null;
  /** The sent message, as it is in the queue. */
  message: { messageId: string; parts: { text: string }[] };
}

/** `CASE`, without the codes that another version may have stored. */
const caseOf = <Row>(
  value: string,
  table: Readonly<Record<string, Row>>,
  task: (row: Row) => string,
): string =>
  `CASE ${value} ${Object.entries(table)
    .map(([code, row]) => `WHEN '${code}' THEN ${task(row)}`)
    .join(' ')}`;
const taskOf = ({ task }: { task: A2aTask }): string => `'${task}'`;

const BY_RESULT = `${caseOf("turn ->> 'result'", TURN_RESULTS, taskOf)} ELSE 'COMPLETED' END`;
const BY_TURN = caseOf('turn_state', MESSAGE_TURNS, ({ task }) =>
  task === 'result' ? BY_RESULT : `'${task}'`,
);

/**
 * WORKING: the agent's gateway has it and has not reported the end of the agent's turn. COMPLETED is that end. A
 * dropped message never reached the agent.
 */
const STATE = `CASE
  WHEN outcome IN ${sqlList(REACHED_OUTCOMES)} THEN ${BY_TURN} ELSE 'WORKING' END
  WHEN outcome IS NOT NULL THEN ${caseOf('outcome', REQUEST_OUTCOMES, taskOf)} ELSE 'FAILED' END
  ELSE ${caseOf('status', MESSAGE_STATUSES, taskOf)} END END`;
const CHANGED_AT = 'coalesce(turn_at, outcome_at, completed_at, dispatched_at, enqueued_at)';

/** The queue as a table of tasks, for a FROM clause. */
export const TASKS = `(SELECT id, workspace_id, context_id, caller_id, caller_user, enqueued_at, status, outcome,
  last_error, attempts, turn_state, turn, gateway_request_id, body #> '{params,message}' AS message, ${STATE} AS state, ${CHANGED_AT} AS changed_at FROM a2a_queue WHERE context_id IS NOT NULL) t`;

export const TASK_COLUMNS =
  'id, context_id, state, status, outcome, last_error, attempts, changed_at, turn_state, turn, gateway_request_id, message';

const STATES: Record<A2aTask, TaskState> = {
  SUBMITTED: TaskState.TASK_STATE_SUBMITTED,
  WORKING: TaskState.TASK_STATE_WORKING,
  INPUT_REQUIRED: TaskState.TASK_STATE_INPUT_REQUIRED,
  COMPLETED: TaskState.TASK_STATE_COMPLETED,
  FAILED: TaskState.TASK_STATE_FAILED,
  CANCELED: TaskState.TASK_STATE_CANCELED,
  REJECTED: TaskState.TASK_STATE_REJECTED,
};

export function isTerminal({ state }: TaskRow): boolean {
  return A2A_TASKS[state].ended;
}

/** Whether nothing more happens without someone else: it has ended, or the agent asks its own user something. */
export function isAtRest({ state }: TaskRow): boolean {
  return A2A_TASKS[state].atRest;
}

/** Undefined for a state that our tasks never have. */
export function nameOfState(state: TaskState): A2aTask | undefined {
  return (Object.keys(STATES) as A2aTask[]).find((name) => STATES[name] === state);
}

/** What is shown of a task besides its status. */
export interface Shown {
  artifacts: boolean;
  /** Maximum number of messages; undefined: all. */
  history?: number | undefined;
}

export function toTask(row: TaskRow, { artifacts, history }: Shown = { artifacts: true }): Task {
  const explanation = explanationOf(row);
  return {
    id: row.id,
    contextId: row.context_id,
    status: {
      state: STATES[row.state],
      timestamp: row.changed_at.toISOString(),
      message: explanation === undefined ? undefined : spokenBy(row, explanation),
    },
    artifacts: artifacts ? artifactsOf(row) : [],
    history: history === 0 ? [] : [sentMessage(row)],
    metadata: {
      queueStatus: row.status,
      outcome: row.outcome,
      attempts: row.attempts,
      turnEnd: turnEndOf(row),
      ...(row.turn?.evidence !== undefined && { turnEvidence: row.turn.evidence }),
    },
  };
}

/** A task here is one message, so that message is its history. */
function sentMessage({ id, context_id, message }: TaskRow): Task['history'][number] {
  return {
    messageId: message.messageId,
    contextId: context_id,
    taskId: id,
    role: Role.ROLE_USER,
    parts: message.parts.map(({ text }) => textPart(quotedIn(text))),
    metadata: undefined,
    extensions: [],
    referenceTaskIds: [],
  };
}

/** `proven`: the end of the turn was seen. `unproven`: only that the agent is ready again. */
function turnEndOf({ turn_state }: TaskRow): 'proven' | 'unproven' | null {
  if (turn_state === 'finished') return 'proven';
  return turn_state === 'unproven' ? 'unproven' : null;
}

/** The tool's own report of its answer; empty if it reports none. */
export function artifactsOf({ id, turn }: TaskRow): Task['artifacts'] {
  if (!turn?.answer) return [];
  return [
    {
      artifactId: `${id}-answer`,
      name: 'answer',
      description: turn.answer_cut ? 'The beginning of what the agent answered' : 'What the agent answered',
      parts: [textPart(turn.answer)],
      metadata: undefined,
      extensions: [],
    },
  ];
}

/** Explains the state. */
function explanationOf({ status, outcome, last_error, turn_state, turn }: TaskRow): string | undefined {
  if (isAmong(REACHED_OUTCOMES, outcome)) {
    return MESSAGE_TURNS[turn_state ?? 'working'].words(turn ?? {});
  }
  if (outcome !== null && status === 'completed') return `The agent's gateway reported: ${outcome}.`;
  return last_error ?? undefined;
}

function spokenBy({ id, context_id }: TaskRow, text: string): NonNullable<Task['status']>['message'] {
  return {
    messageId: `${id}-status`,
    contextId: context_id,
    taskId: id,
    role: Role.ROLE_AGENT,
    parts: [textPart(text)],
    metadata: undefined,
    extensions: [],
    referenceTaskIds: [],
  };
}

function textPart(value: string): Part {
  return { content: { $case: 'text', value }, metadata: undefined, filename: '', mediaType: 'text/plain' };
}
