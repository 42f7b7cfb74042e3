import { InvalidArgumentError, Command as Parser } from 'commander';
import { invalid, isRouseError } from '../base/index.ts';
import { VARIABLE } from '../wire/houmao/index.ts';
import { type Command, type Flag, loaded, loadedTree, now } from './command.ts';
import { exampleLines, HELP_LAYOUT } from './print/help-layout.ts';
import { wrapText } from './print/wrap-text.ts';
import type { Match } from './run-line.ts';
import { suggestCommands } from './suggest.ts';
import { takeWords, wordFlags } from './word-flags.ts';

/**
 * Builds the commander tree along the words of the line. Commands that the line does not name are added by name only:
 * building a hundred commands would take longer than running one. `matched` is called with the named command.
 */
export function buildParser(
  root: Command,
  words: readonly string[],
  matched: (match: Match) => void,
): Promise<Parser> {
  const dashes = words.indexOf('--');
  const afterDashes = dashes === -1 ? 0 : words.length - dashes - 1;
  return fill(new Parser(root.name), root, { root, path: [root.name], words, afterDashes, matched });
}

interface LinePosition {
  root: Command;
  path: string[];
  /** How many words of the line come after `--`. */
  afterDashes: number;
  /** The words of the line below this command. */
  words: readonly string[];
  matched: (match: Match) => void;
  /** A command above can run as well, so flags of the same name are parsed there. */
  below?: boolean;
}

async function fill(parser: Parser, command: Command, way: LinePosition): Promise<Parser> {
  const { path, words, afterDashes, matched, below = false } = way;
  parser
    .description(await now(command.description ?? command.summary))
    .summary(command.summary)
    .helpOption('-h, --help', 'show this help')
    .showSuggestionAfterError(true)
    .allowExcessArguments(true)
    .configureHelp({ ...HELP_LAYOUT, subcommandTerm })
    .exitOverride()
    .addHelpText('after', ({ command: shown }) =>
      describe(command, path, shown.configureOutput().getOutHelpWidth?.() ?? 80),
    );
  if (command.subcommands) parser.helpCommand(false);
  addArguments(parser, command);
  const asWords = wordFlags(command);
  for (const flag of command.flags ?? []) {
    const mandatory = flag.required === true && !asWords.includes(flag);
    addFlag(parser, { ...flag, required: mandatory }, flag.choices && (await now(flag.choices)));
  }
  const names = new Set(command.subcommands?.map((inner) => inner.name));
  const named = words.findIndex((word) => names.has(word));
  for (const inner of command.subcommands ?? []) {
    const child = parser.command(inner.name, { hidden: inner.hidden ?? false });
    if (inner.name === words[named]) {
      await fill(child, await loaded(inner), {
        ...way,
        path: [...path, inner.name],
        words: words.slice(named + 1),
        below: below || command.run !== undefined,
      });
    } else {
      child.summary(inner.summary);
      if (inner.takes) child.arguments(inner.takes);
      else addArguments(child, inner);
    }
    if (inner.daily) child.helpGroup('Every day:');
  }
  const { run } = command;
  if (run)
    parser.action(() => {
      const flags = below ? parser.optsWithGlobals() : parser.opts();
      matched({ command, ...takeWords(command, path, { args: parser.args, flags, afterDashes }) });
    });
  else parser.action(() => missingSubcommand(parser, command, way));
  if (!run) parser.argument('[command...]').usage('<command> [options]').allowUnknownOption();
  return parser;
}

function addArguments(parser: Parser, command: Command): void {
  for (const { word, summary } of wordFlags(command)) parser.argument(`[${word}]`, summary);
  for (const argument of command.args ?? []) {
    const dots = argument.variadic ? '...' : '';
    const text = argument.optional ? `[${argument.name}${dots}]` : `<${argument.name}${dots}>`;
    const positional = parser.createArgument(text, argument.summary);
    if (argument.choices) positional.choices([...argument.choices]);
    parser.addArgument(positional);
  }
}

/** How help lists a command: its name and its arguments. */
function subcommandTerm(parser: Parser): string {
  const args = parser.registeredArguments.map((argument) =>
    argument.required ? `<${argument.name()}>` : `[${argument.name()}]`,
  );
  // One agent or several.
  return [parser.name(), ...args].join(' ').replace('[agent] [agents]', '[agent...]');
}

async function missingSubcommand(
  parser: Parser,
  command: Command,
  { path, root }: LinePosition,
): Promise<never> {
  const [typed] = parser.args;
  if (typed === undefined) return parser.help({ error: true });
  if (typed.startsWith('-'))
    return parser.error(`error: unknown option '${typed}'`, { code: 'commander.unknownOption' });
  const meant = suggestCommands(typed, command, path, await loadedTree(root));
  const names = (command.subcommands ?? []).filter((inner) => !inner.hidden).map((inner) => inner.name);
  throw invalid(`unknown command '${typed}'`, {
    hint:
      meant.length > 0
        ? `did you mean ${meant.map((line) => `"${line}"`).join(' or ')}?`
        : `commands: ${names.join(', ')}; see "${path.join(' ')} --help"`,
    facts: { cause: 'unknown_command', typed, path: path.slice(1) },
  });
}

function addFlag(parser: Parser, flag: Flag, choices: readonly string[] | undefined): void {
  const long = `--${flag.name}${flag.value ? ` <${flag.value}>` : ''}`;
  const option = parser.createOption(flag.short ? `-${flag.short}, ${long}` : long, flag.summary);
  if (flag.hidden) option.hideHelp();
  if (flag.required) option.makeOptionMandatory();
  if (flag.default !== undefined) option.default(flag.default);
  if (choices && !flag.many) option.choices(choices);
  if (flag.many)
    option.argParser((text: string, before: unknown[] | undefined) => [
      ...(before ?? []),
      value(flag, choices, text),
    ]);
  else if (flag.parse) option.argParser((text: string) => value(flag, choices, text));
  parser.addOption(option);
  if (flag.also) addSpelling(parser, flag, { also: flag.also, key: option.attributeName() });
  if (!flag.negatable) return;
  refuseBoth(parser, flag.name, flag.opposite ?? `no-${flag.name}`);
  if (flag.opposite) {
    const opposite = parser.createOption(`--${flag.opposite}`, `the opposite of --${flag.name}`);
    const key = option.attributeName();
    parser.addOption(opposite);
    parser.on(`option:${flag.opposite}`, () => parser.setOptionValue(key, false));
  } else {
    parser.addOption(parser.createOption(`--no-${flag.name}`, `the opposite of --${flag.name}`));
    if (flag.default === undefined) parser.setOptionValue(option.attributeName(), undefined);
  }
}

/** Another spelling of a flag with a value. */
function addSpelling(parser: Parser, flag: Flag, { also, key }: { also: string; key: string }): void {
  refuseBoth(parser, flag.name, also);
  parser.addOption(parser.createOption(`--${also} <${flag.value}>`, flag.summary).hideHelp());
  parser.on(`option:${also}`, (text: string) => {
    parser.setOptionValue(key, flag.parse ? flag.parse(text) : text);
  });
}

/** Refuses both forms of a flag on one line: which one counts would be a guess. */
function refuseBoth(parser: Parser, ...names: [string, string]): void {
  const given = new Set<string>();
  for (const name of names) {
    parser.on(`option:${name}`, () => {
      given.add(name);
      if (given.size < 2) return;
      const message = `error: --${names[0]} and --${names[1]} exclude each other`;
      parser.error(message, { code: 'commander.conflictingOption' });
    });
  }
}

function value(flag: Flag, choices: readonly string[] | undefined, text: string): unknown {
  if (choices && !choices.includes(text)) {
    throw new InvalidArgumentError(`Allowed choices are ${choices.join(', ')}.`);
  }
  try {
    return flag.parse ? flag.parse(text) : text;
  } catch (error) {
    if (isRouseError(error)) throw new InvalidArgumentError(error.message);
    throw error;
  }
}

/** The end of `--help`: examples, and the print styles. */
function describe(command: Command, path: string[], width: number): string {
  const parts: string[] = [];
  const wrapped = (text: string): string => wrapText(text, { width, indent: '' }).join('\n');
  if (command.examples?.length) {
    const lines = command.examples.flatMap((line) => exampleLines(line, width));
    parts.push(`\nExamples:\n${lines.join('\n')}`);
  }
  if (command.shortFor) parts.push(`\n${wrapped(`Short for "rouse ${command.shortFor}".`)}`);
  if (path.length === 1) {
    const printing =
      'Printing: --print-plain (default), --print-json or --json, --print-fancy, anywhere on the line; ' +
      `or ${VARIABLE.printStyle}=plain|json|fancy. Exit codes: see \`rouse help exit-codes\`.`;
    parts.push(`\n${wrapped(printing)}`);
  }
  return parts.join('\n');
}
