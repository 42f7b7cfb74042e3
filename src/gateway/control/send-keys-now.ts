import { preview, utcStamp } from '../../base/index.ts';
import { capabilitiesOf, isReason, newRequestId, whyText } from '../../domain/index.ts';
import { type ControlResult, refusal, type SendKeysBody } from '../../wire/index.ts';
import { refuseClosedAdmission } from './accept-request.ts';
import type { ControlDependencies } from './dependencies.ts';

/** `POST /v1/control/send-keys`: raw keys, now, even into a dialog or a busy turn. Not queued; recorded as raw keys. */
export async function sendKeysNow(body: SendKeysBody, deps: ControlDependencies): Promise<ControlResult> {
  refuseClosedAdmission(deps);
  if (!capabilitiesOf(deps.backend).sendKeys) {
    throw refusal('unsupported_target', `a ${deps.backend} agent has no keyboard`);
  }
  const result = await deps.surface.sendKeys({
    requestId: newRequestId(deps.clock.now()),
    sequence: body.sequence,
    escapeSpecialKeys: body.escape_special_keys,
    expectedDialog: body.expected_dialog ?? undefined,
  });
  deps.events.write('control_input', {
    escape_special_keys: body.escape_special_keys,
    sequence_preview: preview(body.sequence, 120),
    submitted_at_utc: utcStamp(deps.clock.now()),
    outcome: result.outcome,
    evidence: result.evidence,
  });
  if (result.outcome === 'submitted') {
    const { dialogAfter, reasons } = result;
    const detail = `${whyText(['Keys sent', ...reasons], '; ')}.`;
    return {
      status: 'ok',
      action: 'control_input',
      detail,
      ...(dialogAfter && { dialog_after: dialogAfter }),
    };
  }
  if (result.reasons.some((why) => isReason(why, 'dialog_changed'))) {
    throw refusal('dialog_changed', 'the expected dialog is no longer on the screen; nothing was pressed', {
      hint: 'look at the screen and choose again',
    });
  }
  throw refusal('dispatch_failed', whyText(result.reasons, '; ') ?? 'the keys were not sent');
}
