import { invalid, isRouseError } from '../base/index.ts';
import { type Command, type Flag, flagKey } from './command.ts';

/** The flags of a command that may be given as plain words. A command with required arguments or subcommands has none. */
export function wordFlags({ flags = [], args = [], subcommands }: Command): Flag[] {
  if (subcommands || args.some(({ optional }) => !optional)) return [];
  return flags.filter(({ word }) => word !== undefined);
}

export interface Words {
  args: string[];
  flags: Record<string, unknown>;
  /** How many of the words come after `--`; those are never values of flags. */
  afterDashes: number;
}

export interface TakenWords extends Omit<Words, 'afterDashes'> {
  /** Keys of the flags of a short command whose value was a plain word: `rouse status ana`. */
  worded: ReadonlySet<string>;
}

/** Assigns each word to the first such flag that has no value yet. The rest are the command's arguments. */
export function takeWords(command: Command, path: readonly string[], given: Words): TakenWords {
  const flags = { ...given.flags };
  const worded = new Set<string>();
  let args = given.args;
  let free = args.length - given.afterDashes;
  for (const flag of wordFlags(command)) {
    const key = flagKey(flag.name);
    const [word] = args;
    if (free > 0 && flags[key] === undefined && word !== undefined) {
      flags[key] = parsed(flag, word);
      if (path.length === 2) worded.add(key);
      args = args.slice(1);
      free--;
    }
    if (flag.required && flags[key] === undefined) throw missing(flag, command, path);
  }
  refuseExtraWords(command, path, args);
  return { args, flags, worded };
}

function parsed({ parse, name }: Flag, word: string): unknown {
  if (!parse) return word;
  try {
    return parse(word);
  } catch (error) {
    throw isRouseError(error) ? invalid(`--${name} ${error.message}, but is ${JSON.stringify(word)}`) : error;
  }
}

function missing(flag: Flag, command: Command, path: readonly string[]): Error {
  return invalid(`required option '--${flag.name} <${flag.value}>' not specified`, {
    hint: exampleHint(command, path),
  });
}

/** An example of the command, and where its help is. */
export function exampleHint({ examples }: Command, path: readonly string[]): string {
  const example = examples?.[0]?.replace(/\s+#.*$/, '');
  const more = `see "${path.join(' ')} --help"`;
  return example ? `for example: ${example}\n${more}` : more;
}

function refuseExtraWords(command: Command, path: readonly string[], args: string[]): void {
  const own = command.args ?? [];
  if (own.at(-1)?.variadic || args.length <= own.length) return;
  const names = [...wordFlags(command).map(({ word }) => word!), ...own.map(({ name }) => name)];
  const line = [...path, ...names.map((name) => `[${name}]`)].join(' ');
  const extra = args[own.length]!;
  throw invalid(`unexpected word ${JSON.stringify(extra)} after "${line}"`, {
    hint: `${hintFor(names, extra)}see "${path.join(' ')} --help"`,
  });
}

const TEXTS = ['text', 'subject'];

/** Only a text can have lost its quotes, and only if what is left over is one bare word. */
function hintFor(names: readonly string[], extra: string): string {
  const isText = TEXTS.includes(names.at(-1) ?? '') && !/\s/.test(extra);
  return isText ? 'quote a text of several words; ' : '';
}
