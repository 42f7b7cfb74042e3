import { type Command, type Flag, flagKey } from '../command.ts';
import type { Match } from '../run-line.ts';
import { takeWords } from '../word-flags.ts';

/**
 * What the full parser would understand, where a line is plain: the words of a command, long flags that it has, each with
 * its value as the next word, and words of its own. Undefined: the full parser must look, and complain if there is reason to.
 */
export function plainMatch(
  command: Command,
  words: readonly string[],
  path: string[] = [],
): Match | undefined {
  const at = [...path, command.name];
  const inner = command.subcommands?.find(({ name }) => name === words[0]);
  if (inner && !command.run) return plainMatch(inner, words.slice(1), at);
  if (!command.run || command.subcommands) return undefined;
  try {
    const given = flagsAndWords(command, words);
    if (!given || isIncomplete(command, given.flags)) return undefined;
    const taken = takeWords(command, at, { ...given, afterDashes: 0 });
    const least = (command.args ?? []).filter(({ optional }) => !optional).length;
    return taken.args.length < least || command.args?.some(({ choices }) => choices)
      ? undefined
      : { command, ...taken };
  } catch {
    return undefined;
  }
}

interface Given {
  flags: Record<string, unknown>;
  args: string[];
}

function flagsAndWords({ flags: known = [] }: Command, words: readonly string[]): Given | undefined {
  const usual = known.filter((flag) => flag.default !== undefined);
  const flags = Object.fromEntries(usual.map((flag) => [flagKey(flag.name), flag.default]));
  const args: string[] = [];
  const seen = new Set<Flag>();
  for (let at = 0; at < words.length; at++) {
    const word = words[at]!;
    if (!word.startsWith('-')) {
      args.push(word);
      continue;
    }
    const flag = known.find(({ name }) => word === `--${name}`);
    if (!flag || (seen.has(flag) && !flag.many)) return undefined;
    const key = flagKey(flag.name);
    if (flag.value === undefined) flags[key] = true;
    else {
      const text = words[++at];
      if (text === undefined || text.startsWith('-') || !isChoice(flag, text)) return undefined;
      const value = flag.parse ? flag.parse(text) : text;
      flags[key] = flag.many ? [...(seen.has(flag) ? (flags[key] as unknown[]) : []), value] : value;
    }
    seen.add(flag);
  }
  return { flags, args };
}

/** Choices that have to be loaded first are for the full parser. */
function isChoice({ choices }: Flag, text: string): boolean {
  return choices === undefined || (typeof choices === 'object' && choices.includes(text));
}

function isIncomplete({ flags = [] }: Command, given: Record<string, unknown>): boolean {
  return flags.some(({ name, required, word }) => required && !word && given[flagKey(name)] === undefined);
}
