import { crashPoint, messageOf } from '../../../base/index.ts';
import { evidenceAt, sameAs } from '../../lane-context.ts';
import { screenDigest } from '../../proof/answered.ts';
import { fingerprint } from '../../proof/fingerprint.ts';
import { baselineOf } from '../../proof/prove-submission.ts';
import type { Sight } from '../../watch/sight.ts';
import { lookOutOfCopyMode } from '../keys/leave-copy-mode.ts';
import {
  type Delivery,
  type DeliveryEnd,
  keep,
  MOST_OVERTAKEN,
  nothingTyped,
  record,
  touched,
  tryKeep,
  untouched,
} from './delivery.ts';

/** Pastes the prompt into the composer. What is thrown or returned left it untouched, unless it says so. */
export async function pastePrompt(delivery: Delivery): Promise<DeliveryEnd | undefined> {
  const closed = closedBy(delivery, await lookOutOfCopyMode(delivery));
  if (closed) return closed;
  const { tmux } = delivery.watch;
  const buffer = await tmux.loadBuffer(delivery.sent.text);
  try {
    return await paste(delivery, buffer);
  } finally {
    void tmux.deleteBuffer(buffer);
  }
}

/** The gate's refusal, or undefined when the prompt may be typed. */
export function closedBy({ tracker, prompt, sent }: Delivery, sight: Sight): DeliveryEnd | undefined {
  const gate = tracker.gate(sight, prompt.policy);
  if (!gate.ready) return untouched('not_ready', ...gate.reasons);
  if (prompt.signal?.aborted) return untouched('cancelled', 'the caller has gone');
  // Without brackets every line end would be an Enter. Older tmux does not tell; tools that are described use them.
  const bracketed = sight.view!.pane.bracketedPaste ?? sent.detector.tool !== 'calibrated';
  return bracketed || !sent.text.includes('\n')
    ? undefined
    : untouched('refused', 'the tool does not take pastes of several lines as one');
}

/** Asks again whether there is still a reason, and notes that it will be typed. */
export async function beginTyping(delivery: Delivery): Promise<DeliveryEnd | undefined> {
  const { prompt, prepared } = delivery;
  const again = await prompt.recheck?.();
  if (again && !again.go) return untouched('superseded', again.reason);
  keep(delivery, 'before_paste', null);
  const changes = prepared.changes.length > 0 ? { changes: prepared.changes } : {};
  await record(delivery, 'typing', {
    source: 'lane',
    facts: { ...fingerprint(prepared.text), policy: prompt.policy, ...changes },
  });
  crashPoint('lane.typing');
  return undefined;
}

/** Records, looks again and pastes in one step with the last check. */
async function paste(delivery: Delivery, buffer: string): Promise<DeliveryEnd | undefined> {
  const { tracker, watch, clock } = delivery;
  const ended = await beginTyping(delivery);
  if (ended) return ended;
  let refused = '';
  for (let tries = 0; tries < MOST_OVERTAKEN; tries++) {
    const sight = await tracker.look();
    const closed = closedBy(delivery, sight);
    if (closed) return closed;
    const since = clock.now();
    const baseline = baselineOf(sight, delivery.sent, since.getTime());
    const { tool } = sight.foreground;
    delivery.pasted = { atMs: clock.monotonic(), screen: screenDigest(sight.view!), since, tool, baseline };
    keep(delivery, 'pasting', baseline);
    if (!tracker.toolHoldsPane()) {
      refused = 'the tool does not hold the terminal';
      continue;
    }
    try {
      const sent = evidenceAt(clock, 'lane', { sent: 'paste' });
      await watch.tmux.pasteBuffer(sight.view!.pane.id, buffer, { expect: sameAs(sight.view!) });
      // Refused, the note before it claims less; whoever reads that looks at the screen.
      tryKeep(delivery, 'pasted', baseline);
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
