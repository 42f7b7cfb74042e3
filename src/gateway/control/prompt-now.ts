import { type RouseError, utcStamp } from '../../base/index.ts';
import { DELIVERY_OUTCOMES, newTurnId, reason, reasonText, reasonTexts } from '../../domain/index.ts';
import {
  type ControlPromptBody,
  type PromptAdmission,
  type PromptResult,
  promptAdmission,
  promptRefusal,
  promptSent,
} from '../../wire/index.ts';
import { claimRequest, type Execution, runRequest } from '../dispatch/index.ts';
import { PRIORITY, type RequestRow } from '../queue/index.ts';
import { refuseLongPrompt } from './accept-request.ts';
import type { ControlDependencies } from './dependencies.ts';

/**
 * `POST /v1/control/prompt`: typed now or refused now. It leaves a row and a ledger, so that its proof outlives the
 * response.
 */
export async function promptNow(body: ControlPromptBody, deps: ControlDependencies): Promise<PromptResult> {
  const admission = promptAdmission(body);
  refuseLongPrompt(body.prompt, deps);
  refuseStructure(body, admission, deps);
  refuseBusy(admission, deps);
  const execution: Execution = { source: 'direct', id: 'prompt', since: deps.clock.now() };
  if (deps.surface.kind === 'headless') return beginTurn(body, admission, deps, execution);
  return deps.slot.run(execution, async () =>
    settle(await acceptAndClaim(payloadOf(body), deps), admission, deps),
  );
}

/**
 * A headless turn may last minutes: the response comes when the tool has the prompt or the attempt has ended, and the
 * rest is read from the ledger.
 */
function beginTurn(
  body: ControlPromptBody,
  admission: PromptAdmission,
  deps: ControlDependencies,
  execution: Execution,
): Promise<PromptResult> {
  const turn_id = newTurnId();
  return new Promise((resolve, reject) => {
    let request_id: string | undefined;
    const stop = deps.queue.entries.on((entry) => {
      if (entry.stage !== 'submitted' || entry.request_id !== request_id) return;
      recordSubmitted(admission, deps, { request_id, turn_id });
      resolve(promptSent(admission, { turn_id, evidence: { request_id } }));
    });
    deps.slot
      .run(execution, async () => {
        const row = await acceptAndClaim({ ...payloadOf(body), turn_id }, deps);
        request_id = row.request_id;
        const result = await settle(row, admission, deps, turn_id);
        deps.events.write('control_prompt_completed', { request_id, turn_id });
        return { turn_id, ...result };
      })
      .then(resolve, reject)
      .finally(stop);
  });
}

async function acceptAndClaim(
  payload: Record<string, unknown>,
  deps: ControlDependencies,
): Promise<RequestRow> {
  const { row } = await deps.queue.accept({
    kind: 'submit_prompt',
    payload,
    source: 'direct',
    priority: PRIORITY.high,
    epoch: deps.presence.epoch(),
  });
  await claimRequest(row, deps);
  return row;
}

function recordSubmitted(
  { policy }: PromptAdmission,
  deps: ControlDependencies,
  which: { request_id: string; turn_id?: string },
): void {
  const submitted_at_utc = utcStamp(deps.clock.now());
  deps.events.write('control_prompt_submitted', { ...which, admission_policy: policy, submitted_at_utc });
}

/** For a headless turn, `submitted` was already reported. */
async function settle(
  row: RequestRow,
  admission: PromptAdmission,
  deps: ControlDependencies,
  turn_id?: string,
): Promise<PromptResult> {
  const { request_id } = row;
  const ran = await runRequest(row, admission.policy, deps);
  const { ending } = ran;
  const finished = deps.queue.get(request_id);
  const reasons = reasonTexts(ran.reasons);
  if (ending === 'submitted') {
    if (!turn_id) recordSubmitted(admission, deps, { request_id });
    return promptSent(admission, { evidence: { request_id } });
  }
  if (ending === 'not_ready' || ending === 'returned') {
    throw recordRefusal(deps, admission, [
      'not_ready',
      `not ready: ${reasons.join(' ')}`,
      reasons,
      { request_id },
    ]);
  }
  const detail = finished.error_detail ?? ending;
  const outcome = ending === 'left' ? DELIVERY_OUTCOMES[ending].ends : ending;
  deps.events.write('control_prompt_failed', {
    request_id,
    ...(turn_id && { turn_id }),
    error_detail: detail,
    outcome,
    reasons,
  });
  throw promptRefusal(admission, 'dispatch_failed', detail, reasons, { outcome, request_id });
}

type Refusal = Parameters<typeof promptRefusal> extends [PromptAdmission, ...infer Rest] ? Rest : never;

/** The refusal, also written to events.jsonl, where a later "why did this prompt never arrive" finds it. */
function recordRefusal(deps: ControlDependencies, admission: PromptAdmission, refusal: Refusal): RouseError {
  const [error_code, detail, reasons, attempt] = refusal;
  deps.events.write('control_prompt_refused', {
    error_code,
    detail,
    ...(reasons && { reasons }),
    ...(attempt?.request_id && { request_id: attempt.request_id }),
  });
  return promptRefusal(admission, ...refusal);
}

function refuseStructure(
  body: ControlPromptBody,
  admission: PromptAdmission,
  deps: ControlDependencies,
): void {
  const state = deps.presence.admission();
  if (state === 'blocked_reconciliation') {
    throw recordRefusal(deps, admission, [
      'blocked_reconciliation',
      'earlier requests must be reconciled first',
    ]);
  }
  if (state === 'blocked_unavailable') {
    const why = deps.surface.observation().unavailableReason;
    throw recordRefusal(deps, admission, [
      'unavailable',
      `the agent is not available${why ? `: ${why}` : ''}`,
    ]);
  }
  if (deps.surface.kind === 'tui') {
    if (body.chat_session && body.chat_session.mode !== 'new') {
      throw recordRefusal(deps, admission, [
        'invalid_chat_session',
        'a TUI agent takes only chat_session.mode "new"',
      ]);
    }
    if (body.execution)
      throw recordRefusal(deps, admission, ['invalid_execution', 'a TUI agent takes no model override']);
    if (body.chat_session && admission.policy !== 'ready_only') {
      throw recordRefusal(deps, admission, [
        'invalid_admission_policy',
        'a new chat session needs a ready agent',
      ]);
    }
    return;
  }
  if (admission.policy !== 'ready_only') {
    throw recordRefusal(deps, admission, [
      'invalid_admission_policy',
      'a headless agent takes a prompt only when ready',
    ]);
  }
  if (body.chat_session?.mode === 'current' && !deps.surface.headless?.state().chat_session.current) {
    throw recordRefusal(deps, admission, [
      'missing_current_chat_session',
      'there is no current chat session',
    ]);
  }
}

function refuseBusy(admission: PromptAdmission, deps: ControlDependencies): void {
  const { current } = deps.slot;
  if (current) {
    throw recordRefusal(deps, admission, [
      'not_ready',
      `the gateway is busy with ${current.source} ${current.id}`,
      [reasonText(reason('active_execution', 'running'))],
    ]);
  }
  // A person's own prompt goes before what a pause holds.
  const depth = deps.hold.reason() === undefined ? deps.queue.depth() : deps.queue.askedFor();
  if (depth > 0) {
    throw recordRefusal(deps, admission, [
      'not_ready',
      depth === 1 ? 'a request is queued before it' : `${depth} requests are queued before it`,
      [reasonText(reason('queue_depth', String(depth)))],
    ]);
  }
}

function payloadOf(body: ControlPromptBody): Record<string, unknown> {
  return {
    prompt: body.prompt,
    ...(body.chat_session && { chat_session: body.chat_session }),
    ...(body.execution && { execution: body.execution }),
  };
}
