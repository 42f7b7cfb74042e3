import { type Clock, crashPoint, type NextPass } from '../base/index.ts';
import type { Admission, ParkPolicy } from '../domain/index.ts';
import type { AgentSurface } from '../terminal/index.ts';
import type { ExecutionSlot } from './dispatch/index.ts';
import { PRIORITY, type RequestQueue } from './queue/index.ts';

/** The whole prompt. Nothing of the turn that was cut is repeated. */
export const RESUME_PROMPT = 'The usage limit that stopped you has ended. Continue with what you were doing.';

/** A tool that continues by itself, and mail that waited, have this long to go first. */
const QUIET_MS = 30_000;

export interface ResumeDependencies {
  surface: AgentSurface;
  queue: RequestQueue;
  slot: ExecutionSlot;
  clock: Clock;
  admission: () => Admission;
  epoch: () => number;
  policy: () => ParkPolicy;
  /** Mail is about to wake the agent. */
  wakeIsDue: () => boolean;
}

/**
 * With `--park resume`: asks an agent whose turn a usage limit cut to continue, once per limit, if nothing else will. The
 * request has the limit's id as its key, so a crash repeats nothing.
 */
export function resumeAfterLimit(dependencies: ResumeDependencies): () => Promise<NextPass> {
  const { surface, queue, slot, clock, admission, epoch, policy, wakeIsDue } = dependencies;
  let over: { id: string; sinceMs: number } | undefined;
  return async () => {
    const { limit, ready } = surface.observation();
    if (policy() !== 'resume' || !limit?.over || !limit.cut) {
      over = undefined;
      return 'idle';
    }
    if (over?.id !== limit.id) over = { id: limit.id, sinceMs: clock.monotonic() };
    const left = over.sinceMs + QUIET_MS - clock.monotonic();
    if (left > 0) return left;
    if (!ready || slot.current || queue.depth() > 0 || admission() !== 'open' || wakeIsDue()) return 'idle';
    crashPoint('limits.resume.before-accept');
    await queue.accept({
      kind: 'submit_prompt',
      payload: { prompt: RESUME_PROMPT },
      source: 'limit',
      priority: PRIORITY.low,
      epoch: epoch(),
      idempotencyKey: `rouse:after-limit:${limit.id}`,
    });
    crashPoint('limits.resume.after-accept');
    return 'idle';
  };
}
