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
export async function promptNow(body: ControlPromptBody, on: ControlDependencies): Promise<PromptResult> {
  const admission = promptAdmission(body);
  refuseLongPrompt(body.prompt, on);
  refuseStructure(body, admission, on);
  refuseBusy(admission, on);
  const execution: Execution = { source: 'direct', id: 'prompt', since: on.clock.now() };
  if (on.surface.kind === 'headless') return beginTurn(body, admission, on, execution);
  return on.slot.run(execution, async () => settle(await claimed(payloadOf(body), on), admission, on));
}

/**
 * A headless turn may last minutes: the response comes when the tool has the prompt or the attempt has ended, and the
 * rest is read from the ledger.
 */
function beginTurn(
  body: ControlPromptBody,
  admission: PromptAdmission,
  on: ControlDependencies,
  execution: Execution,
): Promise<PromptResult> {
  const turn_id = newTurnId();
  return new Promise((resolve, reject) => {
    let request_id: string | undefined;
    const stop = on.queue.entries.on((entry) => {
      if (entry.stage !== 'submitted' || entry.request_id !== request_id) return;
      tellSubmitted(admission, on, { request_id, turn_id });
      resolve(promptSent(admission, { turn_id, evidence: { request_id } }));
    });
    on.slot
      .run(execution, async () => {
        const row = await claimed({ ...payloadOf(body), turn_id }, on);
        request_id = row.request_id;
        const result = await settle(row, admission, on, turn_id);
        on.events.write('control_prompt_completed', { request_id, turn_id });
        return { turn_id, ...result };
      })
      .then(resolve, reject)
      .finally(stop);
  });
}

async function claimed(payload: Record<string, unknown>, on: ControlDependencies): Promise<RequestRow> {
  const { row } = await on.queue.accept({
    kind: 'submit_prompt',
    payload,
    source: 'direct',
    priority: PRIORITY.high,
    epoch: on.presence.epoch(),
  });
  await claimRequest(row, on);
  return row;
}

function tellSubmitted(
  { policy }: PromptAdmission,
  on: ControlDependencies,
  which: { request_id: string; turn_id?: string },
): void {
  const submitted_at_utc = utcStamp(on.clock.now());
  on.events.write('control_prompt_submitted', { ...which, admission_policy: policy, submitted_at_utc });
}

/** For a headless turn, `submitted` was already reported. */
async function settle(
  row: RequestRow,
  admission: PromptAdmission,
  on: ControlDependencies,
  turn_id?: string,
): Promise<PromptResult> {
  const { request_id } = row;
  const ran = await runRequest(row, admission.policy, on);
  const { ending } = ran;
  const finished = on.queue.get(request_id);
  const reasons = reasonTexts(ran.reasons);
  if (ending === 'submitted') {
    if (!turn_id) tellSubmitted(admission, on, { request_id });
    return promptSent(admission, { evidence: { request_id } });
  }
  if (ending === 'not_ready' || ending === 'returned') {
    throw refused(on, admission, ['not_ready', `not ready: ${reasons.join(' ')}`, reasons, { request_id }]);
  }
  const detail = finished.error_detail ?? ending;
  const outcome = ending === 'left' ? DELIVERY_OUTCOMES[ending].ends : ending;
  on.events.write('control_prompt_failed', {
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
function refused(on: ControlDependencies, admission: PromptAdmission, refusal: Refusal): RouseError {
  const [error_code, detail, reasons, attempt] = refusal;
  on.events.write('control_prompt_refused', {
    error_code,
    detail,
    ...(reasons && { reasons }),
    ...(attempt?.request_id && { request_id: attempt.request_id }),
  });
  return promptRefusal(admission, ...refusal);
}

function refuseStructure(body: ControlPromptBody, admission: PromptAdmission, on: ControlDependencies): void {
  const state = on.presence.admission();
  if (state === 'blocked_reconciliation') {
    throw refused(on, admission, ['blocked_reconciliation', 'earlier requests must be reconciled first']);
  }
  if (state === 'blocked_unavailable') {
    const why = on.surface.observation().unavailableReason;
    throw refused(on, admission, ['unavailable', `the agent is not available${why ? `: ${why}` : ''}`]);
  }
  if (on.surface.kind === 'tui') {
    if (body.chat_session && body.chat_session.mode !== 'new') {
      throw refused(on, admission, [
        'invalid_chat_session',
        'a TUI agent takes only chat_session.mode "new"',
      ]);
    }
    if (body.execution)
      throw refused(on, admission, ['invalid_execution', 'a TUI agent takes no model override']);
    if (body.chat_session && admission.policy !== 'ready_only') {
      throw refused(on, admission, ['invalid_admission_policy', 'a new chat session needs a ready agent']);
    }
    return;
  }
  if (admission.policy !== 'ready_only') {
    throw refused(on, admission, [
      'invalid_admission_policy',
      'a headless agent takes a prompt only when ready',
    ]);
  }
  if (body.chat_session?.mode === 'current' && !on.surface.headless?.state().chat_session.current) {
    throw refused(on, admission, ['missing_current_chat_session', 'there is no current chat session']);
  }
}

function refuseBusy(admission: PromptAdmission, on: ControlDependencies): void {
  const { current } = on.slot;
  if (current) {
    throw refused(on, admission, [
      'not_ready',
      `the gateway is busy with ${current.source} ${current.id}`,
      [reasonText(reason('active_execution', 'running'))],
    ]);
  }
  const depth = on.queue.depth();
  if (depth > 0) {
    throw refused(on, admission, [
      'not_ready',
      `${depth} requests are in line before it`,
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
