import { newTurnId } from '../../domain/index.ts';
import {
  type ControlPromptBody,
  type PromptAdmission,
  type PromptResult,
  promptAdmission,
  promptRefusal,
  promptSent,
} from '../../wire/index.ts';
import { deliverRequest, type Execution } from '../dispatch/index.ts';
import { PRIORITY, type RequestRow } from '../queue/index.ts';
import type { ControlDependencies } from './dependencies.ts';

/** `POST /v1/control/prompt`: typed now or refused now. It leaves a row and a ledger, so that its proof outlives the answer. */
export async function promptNow(body: ControlPromptBody, on: ControlDependencies): Promise<PromptResult> {
  const admission = promptAdmission(body);
  refuseStructure(body, admission, on);
  refuseBusy(admission, on);
  const execution: Execution = { source: 'direct', id: 'prompt', since: on.clock.now() };
  if (on.surface.kind === 'headless') return beginTurn(body, admission, on, execution);
  return on.slot.run(execution, async () => settle(await claimed(payloadOf(body), on), admission, on));
}

/**
 * A headless turn may last for minutes: the caller is answered when the tool has the prompt, or when the attempt has
 * ended without that, and reads the rest from the ledger.
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
      resolve(promptSent(admission, { turn_id, evidence: { request_id } }));
    });
    on.slot
      .run(execution, async () => {
        const row = await claimed({ ...payloadOf(body), turn_id }, on);
        request_id = row.request_id;
        return { turn_id, ...(await settle(row, admission, on)) };
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
  await on.queue.claim(row.request_id);
  return row;
}

async function settle(
  row: RequestRow,
  admission: PromptAdmission,
  on: ControlDependencies,
): Promise<PromptResult> {
  const ending = await deliverRequest(row, admission.policy, on);
  const finished = on.queue.get(row.request_id);
  const reasons = reasonsOf(finished.error_detail ?? finished.waiting_reason);
  if (ending === 'submitted') {
    on.events.write('control_prompt_submitted', {
      request_id: row.request_id,
      admission_policy: admission.policy,
    });
    return promptSent(admission, { evidence: { request_id: row.request_id } });
  }
  // What was refused now is not tried later: a direct prompt has no place in line.
  if (ending === 'returned')
    await on.queue.finish(row.request_id, { outcome: 'refused', detail: reasons.join(' ') });
  on.events.write('control_prompt_failed', { request_id: row.request_id, outcome: ending, reasons });
  const { request_id } = row;
  if (ending === 'returned') {
    throw promptRefusal(admission, 'not_ready', `not ready: ${reasons.join(' ')}`, reasons, { request_id });
  }
  throw promptRefusal(admission, 'dispatch_failed', finished.error_detail ?? ending, reasons, {
    outcome: ending === 'left' ? 'unconfirmed' : ending,
    request_id,
  });
}

function refuseStructure(body: ControlPromptBody, admission: PromptAdmission, on: ControlDependencies): void {
  const state = on.presence.admission();
  if (state === 'blocked_reconciliation') {
    throw promptRefusal(admission, 'blocked_reconciliation', 'earlier requests must be reconciled first');
  }
  if (state === 'blocked_unavailable') {
    const why = on.surface.observation().unavailableReason;
    throw promptRefusal(admission, 'unavailable', `the agent is not available${why ? `: ${why}` : ''}`);
  }
  if (on.surface.kind === 'tui') {
    if (body.chat_session && body.chat_session.mode !== 'new') {
      throw promptRefusal(
        admission,
        'invalid_chat_session',
        'a TUI agent takes only chat_session.mode "new"',
      );
    }
    if (body.execution)
      throw promptRefusal(admission, 'invalid_execution', 'a TUI agent takes no model override');
    if (body.chat_session && admission.policy !== 'ready_only') {
      throw promptRefusal(admission, 'invalid_admission_policy', 'a new chat session needs a ready agent');
    }
    return;
  }
  if (admission.policy !== 'ready_only') {
    throw promptRefusal(
      admission,
      'invalid_admission_policy',
      'a headless agent takes a prompt only when ready',
    );
  }
  if (body.chat_session?.mode === 'current' && !on.surface.headless?.state().chat_session.current) {
    throw promptRefusal(admission, 'missing_current_chat_session', 'there is no current chat session');
  }
}

function refuseBusy(admission: PromptAdmission, on: ControlDependencies): void {
  const { current } = on.slot;
  if (current) {
    throw promptRefusal(admission, 'not_ready', `the gateway is busy with ${current.source} ${current.id}`, [
      `active_execution='running'`,
    ]);
  }
  const depth = on.queue.depth();
  if (depth > 0) {
    throw promptRefusal(admission, 'not_ready', `${depth} requests are in line before it`, [
      `queue_depth='${depth}'`,
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

function reasonsOf(detail: string | null): string[] {
  return detail === null ? [] : detail.split('; ');
}
