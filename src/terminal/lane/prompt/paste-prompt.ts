import { crashPoint, messageOf } from '../../../base/index.ts';
import { evidenceAt, heldReason, sameAs, typeUnlessHeld } from '../../lane-context.ts';
import { HeldBack } from '../../port.ts';
import { screenDigest } from '../../proof/answered.ts';
import { fingerprint } from '../../proof/fingerprint.ts';
import { baselineOf } from '../../proof/prove-submission.ts';
import type { Snapshot } from '../../watch/snapshot.ts';
import { lookOutOfCopyMode } from '../keys/leave-copy-mode.ts';
import {
  type Delivery,
  type DeliveryEnd,
  MAX_REDRAWS,
  noteStep,
  nothingTyped,
  record,
  touched,
  tryNoteStep,
  untouched,
} from './delivery.ts';

/**
 * Pastes the prompt into the composer. Every error or returned end means that nothing was typed, unless it says
 * otherwise.
 */
export async function pastePrompt(delivery: Delivery): Promise<DeliveryEnd | undefined> {
  const closed = gateRefusal(delivery, await lookOutOfCopyMode(delivery));
  if (closed) return closed;
  const { tmux } = delivery.watch;
  const buffer = await tmux.loadBuffer(delivery.sent.text);
  try {
    return await paste(delivery, buffer);
  } finally {
    void tmux.deleteBuffer(buffer);
  }
}

/** Returns the gate's refusal, or undefined when the prompt may be typed. */
export function gateRefusal(delivery: Delivery, snapshot: Snapshot): DeliveryEnd | undefined {
  const { tracker, prompt, sent } = delivery;
  const held = heldReason(delivery, prompt);
  if (held !== undefined) return untouched('not_ready', held);
  const gate = tracker.gate(snapshot, prompt.policy);
  if (!gate.ready) return untouched('not_ready', ...gate.reasons);
  if (prompt.signal?.aborted) return untouched('cancelled', 'the caller has gone');
  // Without bracketed paste every newline would be an Enter. Older tmux does not report the mode; described tools use
  // it.
  const bracketed = snapshot.view!.pane.bracketedPaste ?? sent.detector.tool !== 'calibrated';
  return bracketed || !sent.text.includes('\n')
    ? undefined
    : untouched('refused', 'the tool does not take pastes of several lines as one');
}

/** Checks again that there is still a reason to type, and notes that typing begins. */
export async function beginTyping(delivery: Delivery): Promise<DeliveryEnd | undefined> {
  const { prompt, prepared } = delivery;
  const again = await prompt.recheck?.();
  if (again && !again.go) return untouched('superseded', again.reason);
  delivery.notes.dropVerdict(prompt.requestId);
  noteStep(delivery, 'before_paste', null);
  const changes = prepared.changes.length > 0 ? { changes: prepared.changes } : {};
  await record(delivery, 'typing', {
    source: 'lane',
    facts: { ...fingerprint(prepared.text), policy: prompt.policy, ...changes },
  });
  crashPoint('lane.typing');
  return undefined;
}

/** Records, looks again, and pastes in one step with the last check. */
async function paste(delivery: Delivery, buffer: string): Promise<DeliveryEnd | undefined> {
  const { tracker, watch, clock } = delivery;
  const ended = await beginTyping(delivery);
  if (ended) return ended;
  let refused = '';
  for (let tries = 0; tries < MAX_REDRAWS; tries++) {
    const snapshot = await tracker.look();
    const closed = gateRefusal(delivery, snapshot);
    if (closed) return closed;
    const since = clock.now();
    const baseline = baselineOf(snapshot, delivery.sent, since.getTime());
    const { tool } = snapshot.foreground;
    delivery.pasted = {
      atMs: clock.monotonic(),
      screen: screenDigest(snapshot.view!),
      since,
      tool,
      baseline,
    };
    noteStep(delivery, 'pasting', baseline);
    if (!tracker.toolHoldsPane()) {
      refused = 'the tool does not hold the terminal';
      continue;
    }
    try {
      const sent = evidenceAt(clock, 'lane', { sent: 'paste' });
      const expect = sameAs(snapshot.view!);
      const pasting = () => watch.tmux.pasteBuffer(snapshot.view!.pane.id, buffer, { expect });
      const done = await typeUnlessHeld(delivery, delivery.prompt, pasting);
      if (done instanceof HeldBack) return untouched('not_ready', done.reason);
      // If this write fails, the earlier note stays, and recovery checks the screen.
      tryNoteStep(delivery, 'pasted', baseline);
      delivery.evidence.push(sent);
      crashPoint('lane.pasted');
      return undefined;
    } catch (error) {
      if (!nothingTyped(error))
        return touched('unconfirmed', `the paste may have arrived: ${messageOf(error)}`);
      refused = messageOf(error);
    }
  }
  return untouched('not_ready', `the screen does not hold still: ${refused}`);
}
