import type { Settings } from './settings.ts';

export type PrintStyle = 'plain' | 'json' | 'fancy';

/** A value, or a function that loads what is too heavy to load with the definitions. */
export type Later<T> = T | (() => Promise<T>);

export function now<T extends string | readonly string[]>(value: Later<T>): T | Promise<T> {
  return typeof value === 'function' ? value() : value;
}

/** One command as data: help, completion, reference page and parsing all come from this. */
export interface Command {
  name: string;
  summary: string;
  description?: Later<string>;
  /** Whole command lines, each optionally followed by `# what it does`. */
  examples?: string[];
  args?: Argument[];
  flags?: readonly Flag[];
  subcommands?: Command[];
  /** Not shown in help or completion. */
  hidden?: boolean;
  /** For a short command: the path of the long one, without the program's name. Reference pages show it there. */
  shortFor?: string;
  /** Shown first in help. */
  daily?: boolean;
  /** Runs with the environment alone when a configuration file is wrong: the command may be how to fix it. */
  despiteConfig?: boolean;
  /** No general warnings: a program reads its output, or the command fixes what the warning is about. */
  isQuiet?: boolean;
  run?: (input: Input) => Promise<Output | undefined | void>;
  /** Returns the whole command, where only its name and summary are loaded with the list it is in. */
  load?: () => Promise<Command>;
  /** Its arguments in help while it is not loaded: `<to> [subject]`. */
  takes?: string;
}

/** The whole command. Its subcommands may still be unloaded. */
export async function loaded(command: Command): Promise<Command> {
  return command.load ? command.load() : command;
}

/** The whole command, with everything below it. */
export async function loadedTree(command: Command): Promise<Command> {
  const { subcommands, ...rest } = await loaded(command);
  return subcommands ? { ...rest, subcommands: await Promise.all(subcommands.map(loadedTree)) } : rest;
}

/** What a value can name: a known agent, a tool or preset, an agent of the team, a message of the mailbox. */
export type Named = 'agent' | 'tool' | 'member' | 'message';

export interface Argument {
  name: string;
  summary: string;
  /** What it names, for completion. */
  names?: Named;
  variadic?: boolean;
  optional?: boolean;
  choices?: readonly string[];
}

export interface Flag {
  /** Without dashes: `agent-name`. It arrives as `flags.agentName`. */
  name: string;
  short?: string;
  /** Another spelling, accepted but not shown: the name that Houmao uses. */
  also?: string;
  summary: string;
  /** May also be given as a plain word, shown under this name in help. Several are taken in the order of the flags. */
  word?: string;
  /** Name of the value in help; without it the flag is a boolean. */
  value?: string;
  choices?: Later<readonly string[]>;
  /** What its value names, for completion. */
  names?: Named;
  /** May be given several times; arrives as an array. */
  many?: boolean;
  required?: boolean;
  /** `--x` and `--no-x`; undefined when neither was given. */
  negatable?: boolean;
  /** For a negatable flag: another name for the negative form (`unread` for `read`). */
  opposite?: string;
  parse?: (text: string) => unknown;
  default?: unknown;
  hidden?: boolean;
}

/** `agent-name` arrives as `agentName`. */
type FlagKey<Name extends string> = Name extends `${infer Head}-${infer Tail}`
  ? `${Head}${Capitalize<FlagKey<Tail>>}`
  : Name;

export function flagKey<Name extends string>(name: Name): FlagKey<Name> {
  return name.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase()) as FlagKey<Name>;
}

type OneValue<F extends Flag> = F extends { parse: (text: string) => infer Parsed }
  ? Parsed
  : F extends { choices: readonly (infer Choice)[] }
    ? Choice
    : F extends { value: string }
      ? string
      : boolean;

type FlagValue<F extends Flag> =
  | (F extends { many: true } ? OneValue<F>[] : OneValue<F>)
  | (F extends { required: true } | { default: NonNullable<unknown> } ? never : undefined);

/** What a list of flags becomes once it is parsed. */
export type FlagsOf<List extends readonly Flag[]> = {
  [F in List[number] as FlagKey<F['name']>]: FlagValue<F>;
};

export type InputOf<List extends readonly Flag[]> = Input<FlagsOf<List>>;

/** A command whose run function receives the values of its own flags; reading a flag it does not have does not compile. */
export function command<const List extends readonly Flag[]>(
  definition: Omit<Command, 'flags' | 'run'> & {
    flags: List;
    run: (input: InputOf<List>) => Promise<Output | undefined | void>;
  },
): Command & { flags: List } {
  return definition as unknown as Command & { flags: List };
}

export interface Input<Flags = object> {
  args: string[];
  /** Typed by `InputOf` where a command's own flags are read; untyped where an input is only passed on. */
  flags: Flags;
  /** Keys of the flags of a short command whose value was a plain word: `rouse status ana`. */
  worded?: ReadonlySet<string> | undefined;
  /** All of standard input; empty when it is a terminal. */
  stdin: () => Promise<string>;
  stdinIsTty: boolean;
  settings: Settings;
  env: NodeJS.ProcessEnv;
  style: PrintStyle;
  /** Times for people are in UTC instead of local time. */
  utc: boolean;
  /** For commands that print as they go. */
  out: (text: string) => void;
  err: (text: string) => void;
  outIsTty: boolean;
  /** The terminal's size now; undefined when the output is not a terminal. */
  outSize: () => { columns: number; rows: number } | undefined;
  /** For a server: keep running when standard output cannot be written. */
  ignoreOutputErrors: () => void;
  /** Aborted by Ctrl-C. */
  signal: AbortSignal;
  /** What the command is waiting for; shown when it takes longer than a second. */
  progress: (text: string) => void;
  /** `work` runs once the command has ended, with whether its exit code is 0. */
  onEnd: (work: (isWell: boolean) => void) => void;
}

export interface Output {
  /** What --print-json prints. Undefined: the command has printed its output itself. */
  data: unknown;
  plain?: string;
  fancy?: string;
  exitCode?: number;
}
