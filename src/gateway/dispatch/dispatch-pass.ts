import { type Clock, isRouseError, type Log, messageOf, type NextPass, untilWall } from '../../base/index.ts';
import { type Admission, type Reason, whyText } from '../../domain/index.ts';
import type { Hold } from '../../terminal/index.ts';
import { type InstanceStore, isAutomatic, type RequestRow } from '../queue/index.ts';
import { claimRequest } from './claim-request.ts';
import type { Execution, ExecutionSlot } from './execution-slot.ts';
import type { LanePause } from './lane-pause.ts';
import { requeue } from './requeue.ts';
import { type RunDependencies, type RunResult, runRequest } from './run-request.ts';
import { untilStored } from './until-stored.ts';

export interface DispatchDependencies extends RunDependencies {
  slot: ExecutionSlot;
  pause: LanePause;
  /** A person's pause of the agent. */
  hold: Pick<Hold, 'reason'>;
  clock: Clock;
  instances: InstanceStore;
  admission: () => Admission;
  epoch: () => number;
  log?: Log;
}

/**
 * One pass: at most one request. Every event that may change the result (a new request, the surface, the slot,
 * admission) wakes the loop; a pass only looks.
 */
export async function dispatchPass(dependencies: DispatchDependencies): Promise<NextPass> {
  const { queue, slot, clock } = dependencies;
  await queue.expire();
  if (dependencies.admission() !== 'open') return untilExpiry(dependencies);
  const held = dependencies.hold.reason();
  const whose = held === undefined ? 'all' : 'asked';
  const plan = queue.plan(whose);
  const row = plan ? queue.get(plan.keep[0]!) : queue.queued(1, whose)[0];
  if (held !== undefined) noteHeld(held, dependencies);
  // An interrupt ahead of it goes first, on its own loop. Its end wakes this one.
  if (!row || (queue.interrupts(1)[0] && row.managed_agent_instance_epoch === dependencies.epoch())) {
    return untilExpiry(dependencies);
  }
  if (row.managed_agent_instance_epoch !== dependencies.epoch()) {
    dependencies.instances.inherit();
    return untilExpiry(dependencies);
  }
  const waiting = whyNotNow(dependencies);
  if (waiting) {
    queue.noteWaiting(row, waiting);
    return untilExpiry(dependencies);
  }
  const pause = dependencies.pause.left();
  if (pause > 0) return earlierOf(pause, untilExpiry(dependencies));
  try {
    const delivered = slot.run(executionOf(row, clock), async () => {
      if (row.source === 'direct') return await failDirect(row, dependencies);
      if (!(await claimRequest(row, dependencies))) return 0;
      return pauseAfter(await runRequest(row, 'ready_only', dependencies, () => plan), dependencies);
    });
    return await untilEndedOrUnanswered(delivered, dependencies);
  } catch (error) {
    // The slot was taken between the look and the run. Its release wakes this loop.
    if (isRouseError(error) && error.code === 'not_ready') return 'idle';
    throw error;
  }
}

/** The head of the queue waits for a person. */
function noteHeld(reason: string, { queue }: DispatchDependencies): void {
  const [head] = queue.queued(1);
  if (head && isAutomatic(head)) queue.noteWaiting(head, reason);
}

/** A direct prompt is never queued: its caller got the error that the disk refused it. */
async function failDirect(row: RequestRow, dependencies: DispatchDependencies): Promise<number> {
  const why = 'the disk refused to keep it when it was asked for';
  await untilStored(() => requeue(row, dependencies.queue, { why, evidence: [] }), dependencies);
  return 0;
}

/**
 * Continues a request that an earlier gateway typed and the tool has not reacted to. Retries while the disk refuses a
 * required write: no one else handles it.
 */
export async function resumeRequest(row: RequestRow, dependencies: DispatchDependencies): Promise<void> {
  const { slot, clock, log } = dependencies;
  const resume = (): Promise<void> =>
    slot.run(executionOf(row, clock), async () => {
      pauseAfter(await runRequest(row, 'ready_only', dependencies, undefined, true), dependencies);
    });
  try {
    await untilStored(resume, dependencies);
  } catch (error) {
    log?.error('a request under way was left as it is', {
      request_id: row.request_id,
      cause: messageOf(error),
    });
  }
}

function executionOf({ request_id: id, request_kind }: RequestRow, clock: Clock): Execution {
  return { source: request_kind === 'mail_notifier_prompt' ? 'mail' : 'queue', id, since: clock.now() };
}

function pauseAfter({ ending }: RunResult, { pause }: DispatchDependencies): number {
  if (ending === 'returned') return pause.begin();
  if (ending === 'submitted') pause.reset();
  return 0;
}

/**
 * While the tool does not react to a prompt, the queue behind it is still maintained. The slot's release wakes this
 * loop.
 */
async function untilEndedOrUnanswered(
  delivered: Promise<NextPass>,
  dependencies: DispatchDependencies,
): Promise<NextPass> {
  const { surface } = dependencies;
  const ended = new AbortController();
  const unanswered = surface.changed
    .next(({ reasons }) => reasons.some(isUnseen), ended.signal)
    .then(
      () => 0,
      () => 'idle' as const,
    );
  try {
    return await Promise.race([delivered, unanswered]);
  } finally {
    ended.abort();
    delivered.catch((error: unknown) =>
      dependencies.log?.error('delivery failed', { cause: messageOf(error) }),
    );
  }
}

const isUnseen = ({ code }: Reason): boolean => code === 'unseen_paste';

/** The visible reasons why the next queued request is not typed now. The lane may see more. */
export function whyNotNow({
  slot,
  surface,
}: Pick<DispatchDependencies, 'slot' | 'surface'>): string | undefined {
  const { ready, reasons } = surface.observation();
  if (slot.current && !reasons.some(isUnseen)) return `busy with ${slot.current.source} ${slot.current.id}`;
  return ready ? undefined : (whyText(reasons) ?? 'not ready');
}

function earlierOf(pause: number, expiry: NextPass): number {
  return expiry === 'idle' ? pause : Math.min(pause, expiry);
}

function untilExpiry({ queue, clock }: DispatchDependencies): NextPass {
  const at = queue.nextExpiry();
  return at === undefined ? 'idle' : Math.max(10, untilWall(clock, Date.parse(at)));
}
