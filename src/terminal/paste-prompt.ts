import { crashPoint, messageOf } from '../base/index.ts';
import {
  type Delivery,
  type Ending,
  held,
  MOST_OVERTAKEN,
  nothingTyped,
  record,
  touched,
  untouched,
  whatIsThere,
} from './delivery.ts';
import { fingerprint } from './fingerprint.ts';
import { isHeld } from './held-text.ts';
import { keepAttempt } from './lane-attempt.ts';
import { evidenceAt, sameAs } from './lane-context.ts';
import { lookOutOfCopyMode } from './leave-copy-mode.ts';
import { baselineOf } from './prove-submission.ts';
import type { Sight } from './sight.ts';
import { waitUntil } from './wait-until.ts';

/** The paste was given to the tool. */
export interface Pasted {
  /** Monotonic, and wall time: events of the tool before it are about something else. */
  atMs: number;
  sinceMs: number;
}

/** Pastes the prompt into the composer. What is thrown or returned as an ending left it untouched, unless it says so. */
export async function pastePrompt(delivery: Delivery): Promise<Pasted | Ending> {
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
function closedBy({ tracker, prompt, sent }: Delivery, sight: Sight): Ending | undefined {
  const gate = tracker.gate(sight, prompt.policy);
  if (!gate.ready) return untouched('not_ready', ...gate.reasons.map(({ fragment }) => fragment));
  if (prompt.signal?.aborted) return untouched('cancelled', 'the caller has gone');
  // Without brackets every line end would be an Enter. Older tmux does not tell; tools that are described use them.
  const bracketed = sight.view!.pane.bracketedPaste ?? sent.detector.tool !== 'calibrated';
  return bracketed || !sent.text.includes('\n')
    ? undefined
    : untouched('refused', 'the tool does not take pastes of several lines as one');
}

/** Asks again, records, looks again and pastes in one step with the last check. */
async function paste(delivery: Delivery, buffer: string): Promise<Pasted | Ending> {
  const { tracker, watch, prompt, clock, attemptFile, prepared } = delivery;
  const again = await prompt.recheck?.();
  if (again && !again.go) return untouched('superseded', again.reason);
  const request_id = prompt.requestId;
  keepAttempt(attemptFile, { request_id, step: 'before_paste', baseline: null });
  const changes = prepared.changes.length > 0 ? { changes: prepared.changes } : {};
  await record(delivery, 'typing', {
    source: 'lane',
    facts: { ...fingerprint(prepared.text), policy: prompt.policy, ...changes },
  });
  crashPoint('lane.typing');
  let refused = '';
  for (let tries = 0; tries < MOST_OVERTAKEN; tries++) {
    const sight = await tracker.look();
    const closed = closedBy(delivery, sight);
    if (closed) return closed;
    const sinceMs = clock.now().getTime();
    const baseline = baselineOf(sight, delivery.sent, sinceMs);
    keepAttempt(attemptFile, { request_id, step: 'pasting', baseline });
    if (!tracker.toolHoldsPane()) {
      refused = 'the tool does not hold the terminal';
      continue;
    }
    try {
      const sent = evidenceAt(clock, 'lane', { sent: 'paste' });
      await watch.tmux.pasteBuffer(sight.view!.pane.id, buffer, { expect: sameAs(sight.view!) });
      delivery.evidence.push(sent);
      crashPoint('lane.pasted');
      return { atMs: clock.monotonic(), sinceMs };
    } catch (error) {
      if (!nothingTyped(error))
        return touched('unconfirmed', `the paste may have arrived: ${messageOf(error)}`);
      refused = messageOf(error);
    }
  }
  return untouched('not_ready', `the screen does not hold still: ${refused}`);
}

/** Waits until the composer shows the prompt; undefined when it does. */
export async function waitForEcho(delivery: Delivery, pasted: Pasted): Promise<Ending | undefined> {
  const { patience, clock, sent } = delivery;
  const shown = await waitUntil(
    delivery,
    (sight) => {
      if (sight.foreground.kind !== 'tool') return 'gone';
      const now = held(delivery, sight);
      return isHeld(now) ? now : undefined;
    },
    patience.echoMs * (1 + Buffer.byteLength(sent.text) / 65_536),
  );
  if (shown === undefined || shown === 'gone')
    return touched(
      'unconfirmed',
      `the text was pasted but not seen, and Enter was not pressed: ${whatIsThere(delivery)}`,
    );
  const ms = Math.round(clock.monotonic() - pasted.atMs);
  await record(delivery, 'typed', { source: 'composer', facts: { held: shown, ms } });
  crashPoint('lane.typed');
  return undefined;
}
