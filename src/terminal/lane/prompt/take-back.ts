import { crashPoint, isRouseError } from '../../../base/index.ts';
import { type LaneContext, sameAs } from '../../lane-context.ts';
import { essence } from '../../proof/held-text.ts';
import type { Sight } from '../../watch/sight.ts';
import { waitUntil } from '../../watch/wait-until.ts';
import { heldIn } from './slash-command.ts';

const MOST_LINES = 300;

/**
 * Empties a composer that holds exactly our text, key by key, each only while what is left is still ours. True when
 * the composer is then seen empty; false leaves things as they are. Where the clearing key takes the text and leaves the
 * list of commands that it had opened, that is ours too: Enter would choose from it, and a backspace closes it.
 */
export async function takeBack(text: string, on: LaneContext): Promise<boolean> {
  const { input } = on.tracker.detector;
  const lines = heldIn(on.tracker.sight, text, input) === 'chip' ? 1 : text.split('\n').length;
  if (lines > MOST_LINES) return false;
  const { clearKeys } = input;
  let useless = 0;
  let begun = isErasing(text, on);
  for (let step = 0; step < 4 * lines + 20 && useless < 3; step++) {
    const state = await ownText(text, on);
    if (state !== 'ours' && !(state === 'menu' && begun)) return emptied(state);
    if (!begun) on.notes.erasing(text);
    begun = true;
    crashPoint('lane.erasing');
    const before = picture(on.tracker.sight);
    // The clearing key ends at the start of a line; from there a backspace joins the line above.
    const keys = atLineStart(on.tracker.sight) || useless > 0 ? ['BSpace'] : clearKeys;
    try {
      for (const key of keys)
        await on.watch.tmux.sendKeyName(paneOf(on), key, sameAs(on.tracker.sight.view!));
    } catch (error) {
      if (!isRouseError(error) || error.code !== 'not_ready') return false;
      continue;
    }
    const changed = await waitUntil(
      on,
      (sight) => (picture(sight) !== before ? true : undefined),
      on.patience.editMs,
    );
    useless = changed ? 0 : useless + 1;
  }
  return emptied(await ownText(text, on));
}

function isErasing(text: string, { notes }: LaneContext): boolean {
  const attempt = notes.read();
  return attempt?.erasing === true && attempt.text === text;
}

function emptied(state: OwnText): boolean {
  const empty = state === 'empty' || state === 'menu';
  if (empty) crashPoint('lane.erased');
  return empty;
}

/** `menu`: nothing is left of the text, but a list of commands is open. */
type OwnText = 'ours' | 'empty' | 'menu' | 'other';

async function ownText(text: string, on: LaneContext): Promise<OwnText> {
  const sight = await on.tracker.look();
  const { facts, foreground, people } = sight;
  if (foreground.kind !== 'tool' || facts.dialog.value || facts.copy_mode || people.typing) return 'other';
  const held = heldIn(sight, text, on.tracker.detector.input);
  if (held === 'empty') return facts.menu.value?.kind === 'menu' ? 'menu' : 'empty';
  if (held !== 'other') return held === 'none' ? 'other' : 'ours';
  const left = essence(facts.composer.value?.text ?? '');
  return left !== '' && essence(text).includes(left) ? 'ours' : 'other';
}

/** Text, frame, cursor and menu: an end of line taken away changes only where they stand. */
function picture({ view, facts }: Sight): string {
  const { value } = facts.composer;
  return JSON.stringify([
    view?.pane.cursorX,
    view?.pane.cursorY,
    value?.region,
    value?.text,
    facts.menu.value,
  ]);
}

function atLineStart({ view, facts }: Sight): boolean {
  return view?.pane.cursorX === facts.composer.value?.region.textColumn;
}

function paneOf(on: LaneContext): string {
  return on.tracker.sight.view!.pane.id;
}
