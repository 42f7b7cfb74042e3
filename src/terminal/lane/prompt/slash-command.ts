import type { InputRules } from '../../../screen/index.ts';
import { type Held, heldText } from '../../proof/held-text.ts';
import type { Snapshot } from '../../watch/snapshot.ts';

/** Whether the prompt is only a command of the tool. */
export function isLoneCommand(text: string): boolean {
  return /^\/\S+$/.test(text.trim());
}

/** The composer shows the command alone, or with the argument hint that some tools draw after the cursor. */
export function showsCommand({ facts, view }: Snapshot, command: string): boolean {
  const composer = facts.composer.value;
  if (composer?.mode !== 'prompt' || !composer.text.startsWith(command)) return false;
  const rest = composer.text.slice(command.length);
  if (rest.trim() === '') return true;
  return (
    view?.pane.cursorX === composer.region.textColumn + command.length && /^\s+[[<(].*[\])>]$/.test(rest)
  );
}

/** Like `heldText`, but a command followed by the tool's hint still counts as that command. */
export function heldIn(snapshot: Snapshot, text: string, rules: InputRules): Held {
  const held = heldText(snapshot.facts, text, rules);
  return held === 'other' && isLoneCommand(text) && showsCommand(snapshot, text.trim()) ? 'all' : held;
}

/** The open menu is the tool's list of commands, and Enter chooses exactly this one. */
export function offersExactly({ facts }: Snapshot, text: string): boolean {
  return facts.menu.value?.kind === 'menu' && facts.menu.value.chosen === text.trim();
}
