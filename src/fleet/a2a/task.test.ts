import { TaskState } from '@a2a-js/sdk';
import { expect, it } from 'vitest';
import type { A2aTask } from '../../domain/index.ts';
import { artifactsOf, isAtRest, isTerminal, nameOfState, type TaskRow, toTask } from './task.ts';

const row = (over: Partial<TaskRow> = {}): TaskRow => ({
  id: 'task-1',
  context_id: 'context-1',
  state: 'WORKING',
  status: 'completed',
  outcome: 'submitted',
  last_error: null,
  attempts: 1,
  changed_at: new Date('2026-01-01T12:00:00Z'),
  turn_state: 'working',
  turn: null,
  gateway_request_id: 'gwreq-1',
  message: { messageId: 'm-1', parts: [{ text: 'by ben\n> do it' }] },
  ...over,
});

const explanation = (over: Partial<TaskRow>): unknown =>
  toTask(row(over)).status?.message?.parts[0]?.content?.value;

it('a message of the queue is an A2A task with the same id, its time and the sent message as history', () => {
  const task = toTask(row());
  expect(task).toMatchObject({
    id: 'task-1',
    contextId: 'context-1',
    status: { state: TaskState.TASK_STATE_WORKING, timestamp: '2026-01-01T12:00:00.000Z' },
    metadata: { queueStatus: 'completed', outcome: 'submitted', attempts: 1, turnEnd: null },
  });
  expect(task.history).toMatchObject([
    { messageId: 'm-1', taskId: 'task-1', parts: [{ content: { value: 'do it' } }] },
  ]);
});

it('an A2A task without history has none when the client asks for zero messages', () => {
  expect(toTask(row(), { artifacts: false, history: 0 }).history).toEqual([]);
});

it.each<[Partial<TaskRow>, string]>([
  [{}, 'The message was submitted to the agent.'],
  [{ turn_state: 'finished', turn: { result: 'interrupted' } }, "The agent's turn ended: interrupted."],
  [{ turn_state: 'finished' }, "The agent's turn ended: success."],
  [
    { turn_state: 'unproven' },
    'The message was submitted and the agent is ready again; nothing proves that its turn ended.',
  ],
  [{ turn_state: 'input_required' }, 'The agent waits for its user: a dialog is open.'],
  [
    { turn_state: 'lost', turn: { detail: 'the tool restarted' } },
    "The agent's turn was lost: the tool restarted.",
  ],
  [{ turn_state: null, outcome: 'failed' }, "The agent's gateway reported: failed."],
  [{ turn_state: null, outcome: null, status: 'failed', last_error: 'no session' }, 'no session'],
])('the status message of an A2A task with %j is "%s"', (over, text) => {
  expect(explanation(over)).toBe(text);
});

it('an A2A task that still waits has no status message', () => {
  expect(toTask(row({ status: 'queued', outcome: null, turn_state: null })).status?.message).toBeUndefined();
});

it.each([
  ['finished', 'proven'],
  ['unproven', 'unproven'],
  ['working', null],
] as const)('the turn of an A2A task in state %s has the end %s', (turn_state, turnEnd) => {
  expect(toTask(row({ turn_state })).metadata).toMatchObject({ turnEnd });
});

it('the answer that the tool reports is the artifact of an A2A task, and says when it was cut', () => {
  expect(artifactsOf(row())).toEqual([]);
  const [artifact] = artifactsOf(row({ turn: { answer: 'done', answer_cut: true } }));
  expect(artifact).toMatchObject({
    artifactId: 'task-1-answer',
    description: 'The beginning of what the agent answered',
    parts: [{ content: { value: 'done' } }],
  });
  expect(toTask(row({ turn: { answer: 'done' } }), { artifacts: false }).artifacts).toEqual([]);
});

it('an A2A task rests when it has ended or waits for its user', () => {
  const open: A2aTask[] = ['SUBMITTED', 'WORKING', 'INPUT_REQUIRED'];
  const ended: A2aTask[] = ['COMPLETED', 'FAILED', 'CANCELED', 'REJECTED'];
  expect(open.map((state) => isTerminal(row({ state })))).toEqual([false, false, false]);
  expect(ended.map((state) => isTerminal(row({ state })))).toEqual([true, true, true, true]);
  expect(open.map((state) => isAtRest(row({ state })))).toEqual([false, false, true]);
});

it('a state of the A2A protocol that our tasks never have has no name', () => {
  expect(nameOfState(TaskState.TASK_STATE_COMPLETED)).toBe('COMPLETED');
  expect(nameOfState(TaskState.TASK_STATE_AUTH_REQUIRED)).toBeUndefined();
});
