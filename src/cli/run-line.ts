import {
  asRouseError,
  errnoOf,
  explainDisk,
  forbidden,
  invalid,
  isDiskTrouble,
  type RouseError,
  stableJson,
  unavailable,
} from '../base/index.ts';
import { setLimits } from '../domain/limits.ts';
import { exitCodeOf } from '../wire/codes.ts';
import { VARIABLE } from '../wire/houmao/index.ts';
import type { Command, Input, Output, PrintStyle } from './command.ts';
import { lostHostLine } from './lost-host.ts';
import { calledAs } from './print/called-as.ts';
import { showsColours } from './print/colour.ts';
import { errorText } from './print/error-text.ts';
import { setOutputTerminal, showTimesInUtc } from './print/output-terminal.ts';
import { createProgress } from './print/progress.ts';
import { harmlessJson } from './print/terminal-text.ts';
import { readConfig, readSettings, type Settings } from './settings.ts';

/** What the command line needs from the process. */
export interface Surroundings {
  argv: string[];
  /** The name the program was called by. Default `rouse`. */
  program?: string | undefined;
  env: NodeJS.ProcessEnv;
  /** `outlive`: from now on keep running when the output cannot be written. */
  stdout: {
    write: (text: string) => void;
    isTTY: boolean;
    outlive?: () => void;
    size?: () => { columns: number; rows: number };
  };
  stderr: { write: (text: string) => void; isTTY: boolean };
  stdin: () => Promise<string>;
  stdinIsTty: boolean;
  signal: AbortSignal;
}

/** The command of a line, with its arguments and flags. */
export interface Match {
  command: Command;
  args: string[];
  flags: Record<string, unknown>;
  /** See Input. */
  worded?: ReadonlySet<string>;
}

/** How a line is parsed. */
export interface Understanding {
  /** The command to run, or an exit code when help was shown instead. */
  parse: (argv: string[], world: Surroundings) => Match | number | Promise<Match | number>;
  /** A better error, if there is one. */
  explain?: (error: unknown, env: NodeJS.ProcessEnv) => Promise<RouseError | undefined>;
}

/** Parses, runs and prints one command line. Returns the exit code. */
export async function runLine(outside: Surroundings, { parse, explain }: Understanding): Promise<number> {
  let world = calledAs(outside);
  let style: PrintStyle = 'plain';
  try {
    const line = takePrinting(world.argv, world.env);
    style = line.style;
    showTimesInUtc(line.utc);
    const { isTTY, size } = world.stdout;
    setOutputTerminal({
      columns: isTTY ? size?.().columns : undefined,
      colours: showsColours(isTTY, world.env) && style !== 'json',
    });
    if (style === 'json') world = printingJson(world);
    setLimits(world.env);
    const ownTools = world.env['ROUSE_TOOLS'];
    if (ownTools) await (await import('../tools/index.ts')).loadOwnTools(ownTools);
    const match = await parse(line.argv, world);
    if (typeof match === 'number') return match;
    return await execute(match, line, world);
  } catch (error) {
    if (world.signal.aborted) return 130;
    const explained = await explain?.(error, world.env);
    return printError(explained ?? refusedByHost(error) ?? asRouseError(error), style, world);
  }
}

/** File permissions and disk trouble are errors of the host, not of this program. */
function refusedByHost(error: unknown): RouseError | undefined {
  const errno = errnoOf(error);
  const { path } = error as NodeJS.ErrnoException;
  if (errno === 'ENOTDIR')
    return invalid(`${path ?? 'a place it needs'} is not in a directory (${errno})`, {
      hint: 'set ROUSE_HOME to a directory of your own, or leave it unset',
      cause: error,
    });
  if (isDiskTrouble(error))
    return explainDisk(error, `${path ?? 'a file it needs'} cannot be used`) as RouseError;
  if (errno !== 'EACCES' && errno !== 'EPERM') return undefined;
  return forbidden(`this account may not use ${path ?? 'a file it needs'} (${errno})`, {
    hint: 'set ROUSE_HOME to a directory of your own, or correct the owner and mode of that place',
    cause: error,
  });
}

/** JSON on a terminal must be as safe to read as a table. */
function printingJson(world: Surroundings): Surroundings {
  const { stdout, stderr } = world;
  return {
    ...world,
    stdout: { ...stdout, write: (text) => stdout.write(harmlessJson(text)) },
    stderr: { ...stderr, write: (text) => stderr.write(harmlessJson(text)) },
  };
}

const STYLES: PrintStyle[] = ['plain', 'json', 'fancy'];

/** How a command prints. */
export interface Printing {
  style: PrintStyle;
  /** Times for people are in UTC instead of local time. */
  utc: boolean;
}

/** The print style and `--utc` may be anywhere on the line, before or after the command. */
export function takePrinting(argv: string[], env: NodeJS.ProcessEnv): Printing & { argv: string[] } {
  const wanted = env[VARIABLE.printStyle];
  let style: PrintStyle = STYLES.find((name) => name === wanted) ?? 'plain';
  let utc = false;
  if (wanted && style !== wanted)
    throw invalid(`${VARIABLE.printStyle} must be ${STYLES.join(', ')}, but is "${wanted}"`, {
      hint: 'set it to one of these, or leave it unset',
    });
  const end = argv.indexOf('--') === -1 ? argv.length : argv.indexOf('--');
  const rest = argv.filter((word, i) => {
    if (i >= end) return true;
    const named = styleNamed(word);
    if (named) style = named;
    if (word === '--utc') utc = true;
    return !named && word !== '--utc';
  });
  return { argv: rest, style, utc };
}

function styleNamed(word: string): PrintStyle | undefined {
  return word === '--json' ? 'json' : STYLES.find((name) => word === `--print-${name}`);
}

async function execute(match: Match, { style, utc }: Printing, world: Surroundings): Promise<number> {
  const progress = createProgress(world.stderr, style);
  const ends: ((isWell: boolean) => void)[] = [];
  const input: Input = {
    args: match.args,
    flags: match.flags,
    worded: match.worded,
    stdin: world.stdin,
    stdinIsTty: world.stdinIsTty,
    settings: await settingsFor(match, world.env),
    env: world.env,
    style,
    utc,
    out: (text) => world.stdout.write(text),
    err: (text) => world.stderr.write(text),
    outIsTty: world.stdout.isTTY,
    outSize: () => (world.stdout.isTTY ? world.stdout.size?.() : undefined),
    ignoreOutputErrors: () => world.stdout.outlive?.(),
    signal: world.signal,
    progress: progress.say,
    onEnd: (work) => ends.push(work),
  };
  if (!match.command.isQuiet) {
    const line = await lostHostLine(input.settings, world.env).catch(() => undefined);
    if (line !== undefined) world.stderr.write(line);
  }
  let output: Output | undefined | void;
  let isWell = false;
  try {
    output = await match.command.run!(input);
    isWell = (output?.exitCode ?? 0) === 0 && !world.signal.aborted;
  } finally {
    progress.stop();
    for (const end of ends) end(isWell);
  }
  if (output) print(output, style, world);
  return output?.exitCode ?? (world.signal.aborted ? 130 : 0);
}

async function settingsFor({ command }: Match, env: NodeJS.ProcessEnv): Promise<Settings> {
  if (!command.despiteConfig) return readSettings(env, await readConfig(env));
  try {
    return readSettings(env, await readConfig(env));
  } catch {
    return readSettings(env);
  }
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
    const text = errorText(error.message, error.hint);
    world.stderr.write(showsColours(world.stderr.isTTY, world.env) ? inRed(text) : text);
    if (error.code === 'internal' && world.env['ROUSE_DEBUG'])
      world.stderr.write(`${error.cause ?? error.stack}\n`);
  }
  return exitCode;
}

/** The first word of an error. */
const inRed = (text: string): string => text.replace(/^error:/, '\u001b[31merror:\u001b[0m');

/** Reports that the output cannot be written, and returns the exit code. */
export function reportUnwritable(cause: Error, say: (text: string) => void): number {
  say(errorText(`standard output cannot be written: ${cause.message}`));
  return exitCodeOf(unavailable(cause.message));
}
