import { crashPoint, isRouseError } from '../../../base/index.ts';
import { type LaneContext, sameAs } from '../../lane-context.ts';
import { essence } from '../../proof/held-text.ts';
import type { Snapshot } from '../../watch/snapshot.ts';
import { waitUntil } from '../../watch/wait-until.ts';
import { heldIn } from './slash-command.ts';

const MAX_LINES = 300;

/**
 * Empties a composer that holds exactly our text, key by key, and stops as soon as the rest is not ours. Returns true
 * when the composer is seen to be empty; on false the rest is unchanged. The clearing key may leave the command list
 * that the text opened. It is closed too: Enter would choose from it, and a backspace closes it.
 */
export async function takeBack(text: string, context: LaneContext): Promise<boolean> {
  const { input } = context.tracker.detector;
  const lines = heldIn(context.tracker.snapshot, text, input) === 'chip' ? 1 : text.split('\n').length;
  if (lines > MAX_LINES) return false;
  const { clearKeys } = input;
  let useless = 0;
  let begun = isErasing(text, context);
  for (let step = 0; step < 4 * lines + 20 && useless < 3; step++) {
    const state = await ownText(text, context);
    if (state !== 'ours' && !(state === 'menu' && begun)) return emptied(state);
    if (!begun) context.notes.erasing(text);
    begun = true;
    crashPoint('lane.erasing');
    const before = picture(context.tracker.snapshot);
    // The clearing key stops at the start of a line; a backspace then joins the line above.
    const keys = atLineStart(context.tracker.snapshot) || useless > 0 ? ['BSpace'] : clearKeys;
    try {
      for (const key of keys)
        await context.watch.tmux.sendKeyName(paneOf(context), key, sameAs(context.tracker.snapshot.view!));
    } catch (error) {
      if (!isRouseError(error) || error.code !== 'not_ready') return false;
      continue;
    }
    const changed = await waitUntil(
      context,
      (snapshot) => (picture(snapshot) !== before ? true : undefined),
      context.patience.editMs,
    );
    useless = changed ? 0 : useless + 1;
  }
  return emptied(await ownText(text, context));
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

/** `menu`: the text is gone, but a command list is open. */
type OwnText = 'ours' | 'empty' | 'menu' | 'other';

async function ownText(text: string, context: LaneContext): Promise<OwnText> {
  const snapshot = await context.tracker.look();
  const { facts, foreground, people } = snapshot;
  if (foreground.kind !== 'tool' || facts.dialog.value || facts.copy_mode || people.typing) return 'other';
  const held = heldIn(snapshot, text, context.tracker.detector.input);
  if (held === 'empty') return facts.menu.value?.kind === 'menu' ? 'menu' : 'empty';
  if (held !== 'other') return held === 'none' ? 'other' : 'ours';
  const left = essence(facts.composer.value?.text ?? '');
  return left !== '' && essence(text).includes(left) ? 'ours' : 'other';
}

/** Text, frame, cursor and menu: removing a line end changes only their positions. */
function picture({ view, facts }: Snapshot): string {
  const { value } = facts.composer;
  return JSON.stringify([
    view?.pane.cursorX,
    view?.pane.cursorY,
    value?.region,
    value?.text,
    facts.menu.value,
  ]);
}

function atLineStart({ view, facts }: Snapshot): boolean {
  return view?.pane.cursorX === facts.composer.value?.region.textColumn;
}

function paneOf(context: LaneContext): string {
  return context.tracker.snapshot.view!.pane.id;
}
