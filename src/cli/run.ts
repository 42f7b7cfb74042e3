import type { CommanderError, Command as Parser } from 'commander';
import { commandLine, invalid, isRouseError, type RouseError } from '../base/index.ts';
import { CODES } from '../wire/codes.ts';
import { type Command, loaded } from './command.ts';
import { ROOT } from './families.ts';
import { buildParser } from './parse.ts';
import { showsColours } from './print/colour.ts';
import { type Match, runLine, type Surroundings } from './run-line.ts';
import { readSettings } from './settings.ts';
import { suggestFlag } from './suggest.ts';
import { exampleHint } from './word-flags.ts';

/** Parses, runs and prints one command line. Returns the exit code. */
export function runCli(outside: Surroundings): Promise<number> {
  return runLine(outside, {
    parse: async (argv, world) => parse(await expandHelp(argv), world),
    explain: suggestAgent,
  });
}

/** The name of an agent alone gets suggestions for commands on that agent. */
async function suggestAgent(error: unknown, env: NodeJS.ProcessEnv): Promise<RouseError | undefined> {
  if (!isRouseError(error) || error.facts['cause'] !== 'unknown_command') return undefined;
  const { typed, path } = error.facts as { typed: string; path: string[] };
  if (path.length > 0) return undefined;
  const { hasAgent } = await import('../session/index.ts');
  if (!hasAgent(readSettings(env).registryDir, typed)) return undefined;
  return invalid(error.message, {
    hint: `${typed} is an agent: try "${commandLine`rouse status ${typed}`}", "${commandLine`rouse open ${typed}`}" or "${commandLine`rouse why ${typed}`}"`,
    facts: error.facts,
  });
}

/** Topics of `help`. Any other word after `help` names a command. */
const TOPICS = ['exit-codes'];

/** `help agents launch` is `agents launch --help`, and `--version` with more words is `version`. */
async function expandHelp(argv: string[]): Promise<string[]> {
  const [first, second] = argv;
  if (first === '--version' || first === '-V') return ['version', ...argv.slice(1)];
  if (first !== 'help' || second?.startsWith('-') || TOPICS.includes(second ?? '')) return argv;
  const words = argv.slice(1);
  const { command, path } = await deepest(words);
  // An unknown word must be reported, not turned into --help.
  return command.subcommands && path.length <= words.length ? words : [...words, '--help'];
}

/** The command to run, or an exit code when help was shown instead. */
async function parse(argv: string[], world: Surroundings): Promise<Match | number> {
  let match: Match | undefined;
  let complaint = '';
  const parser = await buildParser(ROOT, argv, (found) => {
    match = found;
  });
  configure(parser, world, (text) => {
    complaint += text;
  });
  try {
    await parser.parseAsync(argv, { from: 'user' });
  } catch (error) {
    const { code, exitCode } = error as CommanderError;
    if (typeof code !== 'string' || !code.startsWith('commander.')) throw error;
    if (exitCode === 0) return 0;
    if (code === 'commander.help') {
      world.stderr.write(complaint);
      return CODES.invalid.exit;
    }
    throw await explained(complaint.replace(/^error: /, '').trim(), code, argv);
  }
  return match ?? 0;
}

function configure(parser: Parser, world: Surroundings, complain: (text: string) => void): void {
  const columns = world.stdout.isTTY ? world.stdout.size?.().columns : undefined;
  parser.configureOutput({
    writeOut: (text) => world.stdout.write(text),
    writeErr: complain,
    getOutHasColors: () => showsColours(world.stdout.isTTY, world.env),
    getErrHasColors: () => showsColours(world.stderr.isTTY, world.env),
    getOutHelpWidth: () => columns ?? 80,
    getErrHelpWidth: () => columns ?? 80,
  });
  for (const inner of parser.commands) configure(inner, world, complain);
}

/** An error of commander, with the next step. */
async function explained(complaint: string, code: string, argv: string[]): Promise<Error> {
  const { command, path } = await deepest(argv);
  const help = `see "${path.join(' ')} --help"`;
  if (code === 'commander.missingArgument' || code === 'commander.missingMandatoryOptionValue')
    return invalid(complaint, { hint: exampleHint(command, path) });
  const unknown = /^unknown option '([^']+)'$/.exec(complaint)?.[1];
  const meant = unknown === undefined ? undefined : suggestFlag(unknown, command);
  return invalid(meant ? `${complaint}\n(Did you mean ${meant}?)` : complaint, { hint: help });
}

/** The deepest command the line names. */
async function deepest(argv: string[]): Promise<{ command: Command; path: string[] }> {
  const path = [ROOT.name];
  let command = ROOT;
  for (const word of argv) {
    const next = command.subcommands?.find((inner) => inner.name === word);
    if (!next) break;
    path.push(word);
    command = await loaded(next);
  }
  return { command, path };
}
