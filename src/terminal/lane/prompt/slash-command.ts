import type { InputRules } from '../../../screen/index.ts';
import { type Held, heldText } from '../../proof/held-text.ts';
import type { Sight } from '../../watch/sight.ts';

/** The prompt is a command of the tool and nothing else. */
export function isLoneCommand(text: string): boolean {
  return /^\/\S+$/.test(text.trim());
}

/** The command alone, or with the hint at its arguments that some tools write behind the cursor. */
export function showsCommand({ facts, view }: Sight, command: string): boolean {
  const composer = facts.composer.value;
  if (composer?.mode !== 'prompt' || !composer.text.startsWith(command)) return false;
  const rest = composer.text.slice(command.length);
  if (rest.trim() === '') return true;
  return (
    view?.pane.cursorX === composer.region.textColumn + command.length && /^\s+[[<(].*[\])>]$/.test(rest)
  );
}

/** Like `heldText`, and a command with the tool's hint behind it is still that command. */
export function heldIn(sight: Sight, text: string, rules: InputRules): Held {
  const held = heldText(sight.facts, text, rules);
  return held === 'other' && isLoneCommand(text) && showsCommand(sight, text.trim()) ? 'all' : held;
}

/** The open menu is the tool's list of commands, and Enter chooses exactly this one. */
export function offersExactly({ facts }: Sight, text: string): boolean {
  return facts.menu.value?.kind === 'menu' && facts.menu.value.chosen === text.trim();
}
