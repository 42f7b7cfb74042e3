import { invalid, utcStamp } from '../../base/index.ts';
import { END_OF_TIME_MS, limit, limitHint, parseUtcTime } from '../../domain/index.ts';
import { type RequestBody, refusal } from '../../wire/index.ts';
import { type Accepted, PRIORITY } from '../queue/index.ts';
import { type ControlDependencies, RECONCILE_HINT } from './dependencies.ts';

/** `POST /v1/requests`: checks in the contract's order, stores, then responds. */
export async function acceptRequest(
  body: RequestBody,
  deps: ControlDependencies,
  source: 'http' | 'fleet' = 'http',
): Promise<Accepted> {
  const { epoch } = refuseClosedAdmission(deps);
  if (body.kind === 'submit_prompt') refusePrompt(body, deps);
  const accepted = await deps.queue.accept({
    kind: body.kind,
    payload: body.payload,
    source,
    priority: PRIORITY[body.priority ?? 'normal'],
    epoch,
    idempotencyKey: body.idempotency_key ?? undefined,
    expiresAtUtc: body.expires_at ? expiryStamp(body.expires_at) : undefined,
  });
  return accepted;
}

/** Stamps are compared as text, so a time past the year 9999 is capped. */
function expiryStamp(text: string): string {
  return utcStamp(new Date(Math.min(parseUtcTime(text) ?? 0, END_OF_TIME_MS)));
}

/** Returns the agent process for which requests are admitted. */
export function refuseClosedAdmission({ presence, surface }: ControlDependencies): { epoch: number } {
  const { admission, epoch } = presence.door();
  if (admission === 'blocked_reconciliation') {
    throw refusal('blocked_reconciliation', 'requests are blocked until earlier ones are reconciled', {
      hint: RECONCILE_HINT,
    });
  }
  if (admission === 'blocked_unavailable') {
    const why = surface.observation().unavailableReason;
    throw refusal('unavailable', `the agent is not available${why ? `: ${why}` : ''}`, {
      hint: 'relaunch it with "rouse agents relaunch"',
    });
  }
  return { epoch };
}

/** Typed text is limited; a headless tool reads its prompt from a file. */
export function refuseLongPrompt(prompt: string, { surface }: ControlDependencies): void {
  const bytes = Buffer.byteLength(prompt);
  if (surface.kind === 'headless' || bytes <= limit('typedBytes')) return;
  throw invalid(`the prompt has ${bytes} bytes; max ${limit('typedBytes')} bytes can be typed`, {
    hint: limitHint('typedBytes'),
  });
}

function refusePrompt(
  body: Extract<RequestBody, { kind: 'submit_prompt' }>,
  deps: ControlDependencies,
): void {
  refuseLongPrompt(body.payload.prompt, deps);
  const headless = deps.surface.headless?.state();
  const busy = headless && (headless.active_turn_id !== null || deps.queue.depth() > 0);
  // A retry of an accepted request gets the first response again, whatever is running.
  if (busy && !body.wait_in_line && !deps.queue.knowsKey(body.idempotency_key)) {
    throw refusal('not_ready', 'a headless agent takes one prompt at a time, and one is running', {
      hint: 'wait until it has ended, or queue this one: --wait-in-line, "wait_in_line": true in a body',
    });
  }
  if (deps.surface.kind === 'tui' && body.payload.execution) {
    throw refusal('invalid_execution', 'payload.execution: a TUI agent does not take a model override');
  }
}
