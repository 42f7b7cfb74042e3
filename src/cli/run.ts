import type { CommanderError, Command as Parser } from 'commander';
import { asRouseError, invalid, type RouseError, stableJson, unavailable } from '../base/index.ts';
import { setLimits } from '../domain/index.ts';
import { CODES, exitCodeOf } from '../wire/codes.ts';
import type { Input, Output, PrintStyle } from './command.ts';
import { ROOT } from './families.ts';
import { buildParser, type Match } from './parse.ts';
import { errorText } from './print/error-text.ts';
import { createProgress } from './print/progress.ts';
import { harmlessJson } from './print/terminal-text.ts';
import { readSettings } from './settings.ts';

/** The outside world, as the command line sees it. */
export interface Surroundings {
  argv: string[];
  env: NodeJS.ProcessEnv;
  /** `outlive`: from now on the program goes on when its output cannot be written. */
  stdout: { write: (text: string) => void; isTTY: boolean; outlive?: () => void };
  stderr: { write: (text: string) => void; isTTY: boolean };
  stdin: () => Promise<string>;
  stdinIsTty: boolean;
  signal: AbortSignal;
}

/** Parses, runs and prints one command line; answers with the exit code. */
export async function runCli(outside: Surroundings): Promise<number> {
  let world = outside;
  let style: PrintStyle = 'plain';
  try {
    const line = takeStyle(world.argv, world.env);
    style = line.style;
    if (style === 'json') world = printingJson(world);
    setLimits(world.env);
    const ownTools = world.env['ROUSE_TOOLS'];
    if (ownTools) await (await import('../tools/index.ts')).loadOwnTools(ownTools);
    const match = await parse(line.argv, world);
    if (typeof match === 'number') return match;
    return await execute(match, style, world);
  } catch (error) {
    if (world.signal.aborted) return 130;
    return printError(asRouseError(error), style, world);
  }
}

/** Whoever reads JSON on a terminal is as safe as who reads a table. */
function printingJson(world: Surroundings): Surroundings {
  const { stdout, stderr } = world;
  return {
    ...world,
    stdout: { ...stdout, write: (text) => stdout.write(harmlessJson(text)) },
    stderr: { ...stderr, write: (text) => stderr.write(harmlessJson(text)) },
  };
}

const STYLES: PrintStyle[] = ['plain', 'json', 'fancy'];

/** The print style may stand anywhere on the line, before or after the command. */
function takeStyle(argv: string[], env: NodeJS.ProcessEnv): { argv: string[]; style: PrintStyle } {
  const wanted = env['HOUMAO_CLI_PRINT_STYLE'];
  let style: PrintStyle = STYLES.find((name) => name === wanted) ?? 'plain';
  const end = argv.indexOf('--') === -1 ? argv.length : argv.indexOf('--');
  const rest = argv.filter((word, i) => {
    const named = i < end ? STYLES.find((name) => word === `--print-${name}`) : undefined;
    if (named) style = named;
    return !named;
  });
  return { argv: rest, style };
}

/** The command that was asked for, or an exit code when help was shown instead. */
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
    throw invalid(complaint.replace(/^error: /, '').trim(), { hint: `see "${helpFor(argv)}"` });
  }
  return match ?? 0;
}

function configure(parser: Parser, world: Surroundings, complain: (text: string) => void): void {
  parser.configureOutput({
    writeOut: (text) => world.stdout.write(text),
    writeErr: complain,
    getOutHasColors: () => world.stdout.isTTY,
  });
  for (const inner of parser.commands) configure(inner, world, complain);
}

/** The help of the deepest command the line names. */
function helpFor(argv: string[]): string {
  const words = ['rouse'];
  let { subcommands } = ROOT;
  for (const word of argv) {
    const next = subcommands?.find((command) => command.name === word);
    if (!next) break;
    words.push(word);
    subcommands = next.subcommands;
  }
  return `${words.join(' ')} --help`;
}

async function execute(match: Match, style: PrintStyle, world: Surroundings): Promise<number> {
  const progress = createProgress(world.stderr, style);
  const input: Input = {
    args: match.args,
    flags: match.flags,
    stdin: world.stdin,
    stdinIsTty: world.stdinIsTty,
    settings: readSettings(world.env),
    env: world.env,
    style,
    out: (text) => world.stdout.write(text),
    err: (text) => world.stderr.write(text),
    outIsTty: world.stdout.isTTY,
    outliveOutput: () => world.stdout.outlive?.(),
    signal: world.signal,
    progress: progress.say,
  };
  let output: Output | undefined | void;
  try {
    output = await match.command.run!(input);
  } finally {
    progress.stop();
  }
  if (output) print(output, style, world);
  return output?.exitCode ?? (world.signal.aborted ? 130 : 0);
}

function print(output: Output, style: PrintStyle, world: Surroundings): void {
  if (output.data === undefined) return;
  const text =
    style === 'json'
      ? stableJson(output.data)
      : ((style === 'fancy' ? output.fancy : undefined) ?? output.plain ?? stableJson(output.data));
  if (text !== '') world.stdout.write(text.endsWith('\n') ? text : `${text}\n`);
}

function printError(error: RouseError, style: PrintStyle, world: Surroundings): number {
  const exitCode = exitCodeOf(error);
  if (style === 'json') {
    const { code, message, hint, facts } = error;
    world.stderr.write(stableJson({ error: { code, message, hint: hint ?? null, ...facts } }));
  } else {
    world.stderr.write(errorText(error.message, error.hint));
    if (error.code === 'internal' && world.env['ROUSE_DEBUG'])
      world.stderr.write(`${error.cause ?? error.stack}\n`);
  }
  return exitCode;
}

/** Says that the output itself cannot be written, and answers with the exit code. */
export function unwritable(cause: Error, say: (text: string) => void): number {
  say(errorText(`standard output cannot be written: ${cause.message}`));
  return exitCodeOf(unavailable(cause.message));
}
