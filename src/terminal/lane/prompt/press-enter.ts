import { crashPoint, messageOf, sleep } from '../../../base/index.ts';
import type { Facts } from '../../../screen/index.ts';
import { evidenceAt, heldReason, sameAs, typeUnlessHeld } from '../../lane-context.ts';
import { HeldBack } from '../../port.ts';
import { screenDigest, type Typed } from '../../proof/answered.ts';
import { type Baseline, baselineOf } from '../../proof/prove-submission.ts';
import type { Snapshot } from '../../watch/snapshot.ts';
import { waitUntil } from '../../watch/wait-until.ts';
import { waitForScreen } from './await-echo.ts';
import {
  type Delivery,
  type DeliveryEnd,
  describeObstacle,
  MAX_REDRAWS,
  nothingTyped,
  touched,
  tryNoteStep,
} from './delivery.ts';
import { isBarred, mayEnter } from './may-enter.ts';
import { offersExactly } from './slash-command.ts';

/** Enter was pressed. */
export interface Entered {
  /** The screen just before the first Enter: every proof is compared with it. */
  baseline: Baseline;
  before: Facts;
  enters: number;
  /** The last Enter. */
  typed: Typed;
  /** A menu was open in which Enter was to choose exactly the typed text. */
  offered: boolean;
  /** Another process was asked to press Enter, and its outcome is unknown: the key may still come. */
  lost?: string | undefined;
}

/**
 * Presses Enter in one step with the check that the composer holds our text and no dialog is open. Held back by a pause, it
 * leaves the text in the composer for the caller to erase.
 */
export async function pressEnter(
  delivery: Delivery,
  earlier: Entered | undefined,
): Promise<Entered | DeliveryEnd | HeldBack> {
  const { tracker, watch, patience, clock, sent, pasted, prompt } = delivery;
  let refused = 0;
  for (let tries = 0; tries < MAX_REDRAWS; tries++) {
    const snapshot = await tracker.look();
    const held = heldReason(delivery, prompt);
    if (held !== undefined) return new HeldBack(held);
    if (!mayEnter(delivery, snapshot)) {
      const may = (seen: Snapshot): true | undefined => mayEnter(delivery, seen) || undefined;
      if (await waitUntil(delivery, may, patience.clearMs)) continue;
      const why = 'Enter was not pressed';
      if (earlier || isBarred(delivery, tracker.snapshot))
        return touched('unconfirmed', `${why}: ${describeObstacle(delivery)}`);
      const ended = await waitForScreen(delivery, why);
      if (ended) return ended;
      continue;
    }
    const baseline = earlier?.baseline ?? baselineOf(snapshot, sent, pasted.since.getTime());
    if (!tryNoteStep(delivery, 'entering', baseline)) {
      const ended = await waitForDisk(delivery, refused++);
      if (ended) return ended;
      tries--;
      continue;
    }
    if (!tracker.toolHoldsPane()) continue;
    try {
      const evidence = evidenceAt(clock, 'lane', { sent: 'enter' });
      const typed = { atMs: clock.monotonic(), screen: screenDigest(snapshot.view!) };
      const pane = snapshot.view!.pane.id;
      const pressing = async () =>
        delivery.owner?.press('Enter') ?? watch.tmux.pressEnter(pane, { expect: sameAs(snapshot.view!) });
      const pressed = await typeUnlessHeld(delivery, prompt, pressing);
      if (pressed instanceof HeldBack) return pressed;
      if (pressed && pressed.kind !== 'asked') {
        const may = pressed.kind === 'refused' ? 'was not' : 'may have been';
        return touched('unconfirmed', `Enter ${may} pressed: ${pressed.why}`);
      }
      delivery.evidence.push(evidence);
      crashPoint('lane.entered');
      const { before = snapshot.facts, enters = 0 } = earlier ?? {};
      return { baseline, before, enters: enters + 1, typed, offered: offersExactly(snapshot, sent.text) };
    } catch (error) {
      if (!nothingTyped(error))
        return touched('unconfirmed', `Enter may have been pressed: ${messageOf(error)}`);
    }
  }
  return touched('unconfirmed', 'Enter was not pressed: the screen does not hold still');
}

const FIRST_PAUSE_MS = 200;
const LONGEST_PAUSE_MS = 30_000;
/** About three minutes in all. */
const MAX_PAUSES = 12;

/** Enter is pressed only after the disk has taken the note about it. After the wait everything is checked again. */
async function waitForDisk({ clock, prompt }: Delivery, pauses: number): Promise<DeliveryEnd | undefined> {
  const why = 'Enter was not pressed: the disk does not take the note of it';
  if (pauses === MAX_PAUSES) return touched('unconfirmed', why);
  await sleep(clock, Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** pauses), prompt.patient);
  return prompt.patient?.aborted ? touched('left', why) : undefined;
}
