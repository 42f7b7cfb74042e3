import { type Argument, type Command, type Flag, flagKey, loaded, type Named, now } from '../command.ts';
import { wordFlags } from '../word-flags.ts';

export interface Candidate {
  word: string;
  meaning: string;
}

export interface Completion {
  candidates: Candidate[];
  /** The shell completes names of files. */
  files: boolean;
}

/** The part of the command line that is already typed. */
export interface Typed {
  command: Command;
  /** The values of its flags; those of flags without a value are true. */
  flags: Record<string, unknown>;
  /** Its words, without those that named the command. */
  words: string[];
}

/** Returns what a value may name, without any network request. */
export type NamesOf = (named: Named, typed: Typed) => Promise<Candidate[]>;

const GLOBAL: Flag[] = [
  { name: 'json', summary: 'print JSON' },
  { name: 'print-plain', summary: 'print as text' },
  { name: 'print-json', summary: 'print JSON' },
  { name: 'print-fancy', summary: 'print as text with more detail' },
  { name: 'help', summary: 'show help' },
];

const NOTHING: Completion = { candidates: [], files: false };
const FILES: Completion = { candidates: [], files: true };

/** Candidates for the last word. */
export async function completeWords(
  root: Command,
  words: readonly string[],
  namesOf: NamesOf,
): Promise<Completion> {
  const current = words.at(-1) ?? '';
  const before = words.slice(0, -1);
  if (before.includes('--')) return FILES;
  const { typed, open } = await read(root, before);
  if (open) return value(open, current, typed, namesOf);
  const [, name, given] = /^--([\w-]+)=(.*)$/s.exec(current) ?? [];
  const flag = name === undefined ? undefined : flagsOf(typed.command).find((each) => each.name === name);
  if (flag?.value !== undefined) {
    const { candidates, files } = await value(flag, given!, typed, namesOf);
    return {
      files,
      candidates: candidates.map(({ word, meaning }) => ({ word: `--${name}=${word}`, meaning })),
    };
  }
  if (current.startsWith('-')) return startingWith(flagCandidates(typed), current);
  return plainWord(typed, current, namesOf);
}

/** Follows the words to the command they name; `open` is a flag whose value comes next. */
async function read(
  root: Command,
  before: readonly string[],
): Promise<{ typed: Typed; open: Flag | undefined }> {
  const typed: Typed = { command: root, flags: {}, words: [] };
  let open: Flag | undefined;
  for (const word of before) {
    if (open) {
      typed.flags[flagKey(open.name)] = word;
      open = undefined;
    } else if (word.startsWith('-')) open = flagWord(typed, word);
    else {
      const inner =
        typed.words.length === 0 ? typed.command.subcommands?.find(({ name }) => name === word) : undefined;
      if (inner) Object.assign(typed, { command: await loaded(inner), flags: {} });
      else typed.words.push(word);
    }
  }
  return { typed, open };
}

function flagWord(typed: Typed, word: string): Flag | undefined {
  const [, name, given] = /^--?([\w-]+)(?:=(.*))?$/s.exec(word) ?? [];
  const flag = flagsOf(typed.command).find((each) => each.name === name || (each.short ?? '') === name);
  if (!flag) return undefined;
  if (flag.value !== undefined && given === undefined) return flag;
  typed.flags[flagKey(flag.name)] = given ?? true;
  return undefined;
}

const flagsOf = ({ flags = [] }: Command): readonly Flag[] => [
  ...flags.filter(({ hidden }) => !hidden),
  ...GLOBAL,
];

function flagCandidates({ command, flags }: Typed): Candidate[] {
  return flagsOf(command)
    .filter(({ name, many }) => many || flags[flagKey(name)] === undefined)
    .flatMap(({ name, summary, negatable, opposite }) => [
      { word: `--${name}`, meaning: summary },
      ...(negatable ? [{ word: `--${opposite ?? `no-${name}`}`, meaning: `the opposite of --${name}` }] : []),
    ]);
}

async function plainWord(typed: Typed, current: string, namesOf: NamesOf): Promise<Completion> {
  const { command, words } = typed;
  const inner = words.length > 0 ? [] : (command.subcommands ?? []).filter(({ hidden }) => !hidden);
  const commands = inner.map(({ name, summary }) => ({ word: name, meaning: summary }));
  const next = nextWord(typed);
  const named = next ? await value(next, current, typed, namesOf) : NOTHING;
  // The second of several names is not the first one again.
  const fresh = named.candidates.filter(({ word }) => !words.includes(word));
  return { files: named.files, candidates: [...startingWith(commands, current).candidates, ...fresh] };
}

/** The flag or argument that the next plain word is for. */
function nextWord({ command, flags, words }: Typed): Flag | Argument | undefined {
  const open = wordFlags(command).filter(({ name }) => flags[flagKey(name)] === undefined);
  const args = command.args ?? [];
  const last = args.at(-1);
  return [...open, ...args][words.length] ?? (last?.variadic ? last : undefined);
}

async function value(
  of: Flag | Argument,
  current: string,
  typed: Typed,
  namesOf: NamesOf,
): Promise<Completion> {
  if (of.names) return startingWith(await namesOf(of.names, typed), current);
  const choices =
    of.choices && (await now(of.choices as readonly string[] | (() => Promise<readonly string[]>)));
  if (choices)
    return startingWith(
      choices.map((word) => ({ word, meaning: '' })),
      current,
    );
  const shown = 'value' in of ? of.value : of.name;
  return /(^|-)(FILE|DIR|PATH|ROOT)$/i.test(shown ?? '') ? FILES : NOTHING;
}

function startingWith(candidates: Candidate[], current: string): Completion {
  return { candidates: candidates.filter(({ word }) => word.startsWith(current)), files: false };
}
