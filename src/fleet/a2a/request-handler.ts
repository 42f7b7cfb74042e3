import {
  type AgentCard,
  type CancelTaskRequest,
  type GetTaskRequest,
  type ListTasksRequest,
  type ListTasksResponse,
  type SendMessageRequest,
  type StreamResponse,
  type SubscribeToTaskRequest,
  type Task,
  TaskState,
} from '@a2a-js/sdk';
import {
  ExtendedAgentCardNotConfiguredError,
  PushNotificationNotSupportedError,
  TaskNotFoundError,
  UnsupportedOperationError,
} from '@a2a-js/sdk/errors';
import type { A2ARequestHandler, ServerCallContext } from '@a2a-js/sdk/server';
import { invalid, type Log } from '../../base/index.ts';
import type { Sql } from '../../db/index.ts';
import { LIMITS, type LimitName, limit, limitHint } from '../../domain/index.ts';
import { readCursor, writeCursor } from '../delivery/index.ts';
import type { Identity } from '../identity/index.ts';
import type { Workspace } from '../registry/index.ts';
import { toA2aError } from './a2a-errors.ts';
import { LEGACY_VERSION } from './agent-card.ts';
import { cancelTask, type GatewayOf } from './cancel-task.ts';
import { messageOfRequest } from './message-of-request.ts';
import { sendToAgent } from './send.ts';
import { artifactsOf, isAtRest, isTerminal, nameOfState, type TaskRow, toTask } from './task.ts';
import type { TaskWatch } from './task-watch.ts';
import { findTask, listTasks, type TaskOwner } from './tasks.ts';

/** How long a sender that wants to wait is held, and how long a stream lives. Both may ask again. */
const SEND_WAITS_MS = 20_000;
const STREAM_LIVES_MS = 10 * 60_000;
/** How long a canceled turn may take to end before the task is returned as it is. */
const CANCEL_WAITS_MS = 10_000;
const MAX_PAGE = 100;

export interface HandlerOptions {
  sql: Sql;
  watch: TaskWatch;
  log: Log;
  card: AgentCard;
  caller: Identity;
  target: Workspace;
  gatewayOf: GatewayOf;
  /** Called before a response is held because the client asked to wait. */
  onHeld: () => void;
  /** Aborted when the client is gone. */
  signal?: AbortSignal | undefined;
}

/**
 * The operations of the protocol for one caller and one agent, directly over the queue. A task is a message with the
 * same id, so every server sees the same tasks and none lives in memory.
 */
export class AgentRequestHandler implements A2ARequestHandler {
  #options: HandlerOptions;
  #owner: TaskOwner;

  constructor(options: HandlerOptions) {
    this.#options = options;
    this.#owner = { caller: options.caller, workspaceId: options.target.id };
  }

  getAgentCard = async (): Promise<AgentCard> => this.#options.card;

  sendMessage = (request: SendMessageRequest, context: ServerCallContext): Promise<Task> =>
    this.#translated(async () => {
      const historyLength = lengthOf(request.configuration?.historyLength);
      const id = await this.#send(request);
      const asked = request.configuration
        ? !request.configuration.returnImmediately
        : context.requestedVersion !== LEGACY_VERSION;
      const waits = asked && !this.#fullBy;
      if (waits) this.#options.onHeld();
      const row = waits ? await this.#until(id, isAtRest, SEND_WAITS_MS) : await this.#require(id);
      return toTask(row, { artifacts: true, history: historyLength });
    });

  async *sendMessageStream(request: SendMessageRequest): AsyncGenerator<StreamResponse> {
    // If the sender gets an error, the message must not have been sent.
    this.#requirePlace();
    const id = await this.#translated(() => this.#send(request));
    yield* this.#stream(id);
  }

  getTask = ({ id, historyLength }: GetTaskRequest): Promise<Task> =>
    this.#translated(async () => {
      const history = lengthOf(historyLength);
      return toTask(await this.#require(id), { artifacts: true, history });
    });

  listTasks = (request: ListTasksRequest): Promise<ListTasksResponse> =>
    this.#translated(async () => {
      const pageSize = request.pageSize ?? 50;
      // Messages are long, so a list includes them only on request.
      const shown = {
        artifacts: request.includeArtifacts === true,
        history: lengthOf(request.historyLength) ?? 0,
      };
      if (pageSize < 1 || pageSize > MAX_PAGE) throw invalid(`pageSize must be 1 to ${MAX_PAGE}`);
      if (request.status === TaskState.UNRECOGNIZED) throw invalid('status must be the name of a task state');
      const wanted = request.status ? nameOfState(request.status) : undefined;
      if (request.status && !wanted) return { tasks: [], nextPageToken: '', pageSize, totalSize: 0 };
      const { tasks, next, total } = await listTasks(this.#options.sql, this.#owner, {
        limit: pageSize,
        state: wanted,
        contextId: request.contextId || undefined,
        changedAfter: request.statusTimestampAfter ? timeOf(request.statusTimestampAfter) : undefined,
        after: request.pageToken ? readCursor(request.pageToken) : undefined,
      });
      return {
        tasks: tasks.map((task) => toTask(task, shown)),
        nextPageToken: next ? writeCursor(next) : '',
        pageSize,
        totalSize: total,
      };
    });

  cancelTask = ({ id }: CancelTaskRequest): Promise<Task> =>
    this.#translated(async () => {
      const { sql, gatewayOf } = this.#options;
      await cancelTask({ sql, owner: this.#owner, gatewayOf }, await this.#require(id));
      return toTask(await this.#until(id, isTerminal, CANCEL_WAITS_MS));
    });

  async *resubscribe({ id }: SubscribeToTaskRequest): AsyncGenerator<StreamResponse> {
    const row = await this.#translated(() => this.#require(id));
    if (isTerminal(row)) throw new UnsupportedOperationError(`task ${id} has ended`);
    yield* this.#stream(id);
  }

  getAuthenticatedExtendedAgentCard = async (): Promise<never> => {
    throw new ExtendedAgentCardNotConfiguredError();
  };
  createTaskPushNotificationConfig = noPush;
  getTaskPushNotificationConfig = noPush;
  listTaskPushNotificationConfigs = noPush;
  deleteTaskPushNotificationConfig = noPush;

  async #send(request: SendMessageRequest): Promise<string> {
    if (request.configuration?.taskPushNotificationConfig) return noPush();
    const { taskId, ...sending } = messageOfRequest(request);
    if (taskId !== undefined) {
      await this.#require(taskId);
      throw new UnsupportedOperationError(
        'a task here is one message; send the next one without a taskId, with the same contextId',
      );
    }
    const { sql, caller, target } = this.#options;
    return (await sendToAgent(sql, { caller, target }, sending)).id;
  }

  /** The first event is the task; the next ones are changes of its status. */
  async *#stream(taskId: string): AsyncGenerator<StreamResponse> {
    this.#requirePlace();
    let first = true;
    for await (const row of this.#states(taskId, STREAM_LIVES_MS)) {
      const { id, contextId, status, metadata } = toTask(row);
      if (!first)
        for (const artifact of artifactsOf(row))
          yield {
            payload: {
              $case: 'artifactUpdate',
              value: { taskId: id, contextId, artifact, append: false, lastChunk: true, metadata: undefined },
            },
          };
      yield first
        ? { payload: { $case: 'task', value: toTask(row) } }
        : { payload: { $case: 'statusUpdate', value: { taskId: id, contextId, status, metadata } } };
      first = false;
    }
  }

  async #until(id: string, isOver: (row: TaskRow) => boolean, forMs: number): Promise<TaskRow> {
    for await (const row of this.#states(id, forMs)) if (isOver(row)) return row;
    return this.#require(id);
  }

  #requirePlace(): void {
    const full = this.#fullBy;
    if (!full) return;
    throw new UnsupportedOperationError(
      `there are ${limit(full)} ${LIMITS[full].unit} already; ${limitHint(full)}`,
    );
  }

  get #fullBy(): LimitName | undefined {
    return this.#options.watch.fullBy(this.#options.target.org_id);
  }

  #states(taskId: string, forMs: number): AsyncGenerator<TaskRow> {
    const { watch, sql, signal, target } = this.#options;
    return watch.states({
      orgId: target.org_id,
      taskId,
      forMs,
      signal,
      load: () => findTask(sql, this.#owner, taskId),
    });
  }

  async #require(id: string): Promise<TaskRow> {
    const row = await findTask(this.#options.sql, this.#owner, id);
    if (row) return row;
    throw new TaskNotFoundError(`there is no task ${id.slice(0, 60)}`);
  }

  async #translated<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw toA2aError(error, this.#options.log);
    }
  }
}

async function noPush(): Promise<never> {
  throw new PushNotificationNotSupportedError('push notifications are not offered; use streaming or GetTask');
}

/** Undefined: everything. */
function lengthOf(historyLength: number | undefined): number | undefined {
  if (historyLength !== undefined && historyLength < 0) throw invalid('historyLength must not be negative');
  return historyLength;
}

function timeOf(text: string): Date {
  const at = new Date(text);
  // Node also reads times that are not ISO-8601, such as "-1".
  if (!/^\d{4}-\d\d-\d\d/.test(text) || Number.isNaN(at.getTime()))
    throw invalid('statusTimestampAfter must be an ISO-8601 time');
  return at;
}
