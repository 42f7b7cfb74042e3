import { isHeld } from '../../proof/held-text.ts';
import type { Sight } from '../../watch/sight.ts';
import { type Delivery, held } from './delivery.ts';
import { offersExactly } from './slash-command.ts';

/** The composer holds our text and nothing else, and nothing asks anything: Enter means this prompt. */
export function mayEnter(delivery: Delivery, sight: Sight): boolean {
  const { facts, foreground, people } = sight;
  if (foreground.kind !== 'tool' || facts.dialog.value) return false;
  if (facts.copy_mode || people.typing) return false;
  const now = held(delivery, sight);
  // A menu may choose something else than what was typed; only the tool's own list proves that it does not.
  if (facts.menu.value) return now === 'all' && offersExactly(sight, delivery.sent.text);
  return isHeld(now) && !delivery.prepared.onlyIfOffered;
}

/** Our text stands in front of a menu, or needs one to be taken: no waiting helps, and it is taken back. */
export function isBarred(delivery: Delivery, sight: Sight): boolean {
  const barred = sight.facts.menu.value !== null || delivery.prepared.onlyIfOffered;
  return barred && isHeld(held(delivery, sight));
}
