import { limit, limitHint } from '../../../domain/index.ts';
import type { InputRules } from '../../../screen/index.ts';
import { pasteText } from '../../../tmux/index.ts';
import { essence } from '../../proof/held-text.ts';
import { visibleText } from '../../proof/visible-text.ts';
import { isLoneCommand } from './slash-command.ts';

export interface PreparedPrompt {
  /** The text that is pasted. */
  text: string;
  /** Names of the changes that the paste or the tool makes; kept with the evidence. */
  changes: string[];
  /** Why the tool would not take the text as written. */
  refusals: string[];
  /** Press Enter only if the tool's own menu offers exactly this; otherwise the tool would not take it. */
  onlyIfOffered: boolean;
}

/** Returns the prompt as it can be pasted, or why it cannot. It reaches the tool as written or not at all. */
export function preparePrompt(original: string, rules: InputRules): PreparedPrompt {
  const controlled = pasteText(original);
  const visible = visibleText(controlled);
  const pasted = visible.text;
  // A trailing newline would close the menu in which the tool offers the command, and the proof with it.
  const text = isLoneCommand(pasted) ? pasted.trimEnd() : pasted;
  const against = rules.refuses.filter(({ typedOnly, when }) => !typedOnly && when.test(text));
  const forgiven = against.filter(({ unlessOffered }) => unlessOffered && isLoneCommand(text));
  const refusals = against.filter((rule) => !forgiven.includes(rule)).map(({ because }) => because);
  // A prompt is recognised by its first line after the tool's glyph.
  if (essence(text.split('\n', 1)[0]!) === '')
    refusals.push('its first line has no characters that every terminal shows');
  if (/^\s/.test(text))
    refusals.push('it begins with blanks before a command sign: leave them out, or begin with a word');
  const bytes = Buffer.byteLength(text);
  if (bytes > limit('typedBytes'))
    refusals.push(
      `it has ${bytes} bytes: at most ${limit('typedBytes')} are typed; ${limitHint('typedBytes')}`,
    );
  else if (rules.maxPasteBytes !== undefined && bytes > rules.maxPasteBytes)
    refusals.push(`it has ${bytes} bytes and the tool takes pastes of at most ${rules.maxPasteBytes}`);
  const longest = Math.max(...text.split('\n').map((line) => Buffer.byteLength(line)));
  if (rules.maxLineBytes !== undefined && longest > rules.maxLineBytes) {
    refusals.push(
      `it has a line of ${longest} bytes and the tool takes lines of at most ${rules.maxLineBytes}`,
    );
  }
  return {
    text,
    changes: [
      ...new Set([
        ...controlChanges(original, controlled),
        ...visible.changes,
        ...changesOf(pasted, text, rules),
      ]),
    ],
    refusals,
    onlyIfOffered: forgiven.length > 0,
  };
}

function controlChanges(original: string, pasted: string): string[] {
  const changes: string[] = [];
  const unified = original.replace(/\r\n?/g, '\n');
  if (unified !== original) changes.push('line_ends_unified');
  if (pasted !== unified) changes.push('control_characters_removed');
  return changes;
}

function changesOf(pasted: string, text: string, rules: InputRules): string[] {
  const changes: string[] = [];
  if (text !== pasted) changes.push('command_end_trimmed');
  if (rules.changes.includes('tabs_to_4_spaces') && text.includes('\t')) changes.push('tabs_to_4_spaces');
  if (rules.changes.includes('trailing_space')) changes.push('trailing_space');
  if (rules.changes.includes('trims_ends') && text.trim() !== text) changes.push('trims_ends');
  return changes;
}
