import { isHeld } from '../../proof/held-text.ts';
import type { Snapshot } from '../../watch/snapshot.ts';
import { type Delivery, held } from './delivery.ts';
import { offersExactly } from './slash-command.ts';

/** The composer holds only our text, and no dialog is open: Enter submits this prompt. */
export function mayEnter(delivery: Delivery, snapshot: Snapshot): boolean {
  const { facts, foreground, people } = snapshot;
  if (foreground.kind !== 'tool' || facts.dialog.value) return false;
  if (facts.copy_mode || people.typing) return false;
  const now = held(delivery, snapshot);
  // A menu may choose something other than the typed text; only the tool's own list proves that it does not.
  if (facts.menu.value) return now === 'all' && offersExactly(snapshot, delivery.sent.text);
  return isHeld(now) && !delivery.prepared.onlyIfOffered;
}

/** Our text is in front of a menu, or needs one to be taken. Waiting does not help, so it is erased. */
export function isBarred(delivery: Delivery, snapshot: Snapshot): boolean {
  const barred = snapshot.facts.menu.value !== null || delivery.prepared.onlyIfOffered;
  return barred && isHeld(held(delivery, snapshot));
}
